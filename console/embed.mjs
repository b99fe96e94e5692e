// Writes the page as a C++ source: our modules and the npm packages they import. CMake calls it:
//   node embed.mjs NPM FOLDER SOURCE
// FOLDER gets npm's packages, SOURCE is written. Without the packages the source has no files, and the gateway answers
// with a page that says so; the build goes on.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { copyFileSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";

const here = fileURLToPath(new URL(".", import.meta.url));
const [npm, folder, source] = process.argv.slice(2);

const types = {
  ".html": "text/html; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".svg": "image/svg+xml",
};

/** Installs the packages; returns why that failed, or an empty string. */
function install() {
  const wanted = readFileSync(join(here, "package-lock.json"), "utf8");
  const mark = join(folder, "installed");
  if (existsSync(mark) && readFileSync(mark, "utf8") === wanted) return "";
  mkdirSync(folder, { recursive: true });
  for (const name of ["package.json", "package-lock.json"]) copyFileSync(join(here, name), join(folder, name));
  const words = ["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error", "--fetch-retries=0"];
  const done = spawnSync(npm, words, { cwd: folder, encoding: "utf8", timeout: 120_000 });
  if (done.status !== 0) return (done.stderr || String(done.error ?? "it ended without a reason")).split("\n")[0];
  writeFileSync(mark, wanted);
  return "";
}

// Combines all modules into one, without what a browser does not need: only so the whole page stays below 120 KB, with
// the 50 KB of uPlot in it. Indentation is part of our templates, so a minifier must not remove it; here it is known to
// be safe.
const unused = [
  "rangeLog",
  "rangeAsinh",
  "logAxisSplits",
  "asinhAxisSplits",
  "log10AxisValsFilt",
  "log2AxisValsFilt",
  "clipBandLine",
  "initLegendRow",
  "setLegendValues",
  "delSeries",
  "mouseDown",
  "mouseUp",
  "points",
  "timeAxisStamps",
  "timeAxisVals",
];
const ours = {
  name: "ours",
  setup(build) {
    build.onLoad({ filter: /\.js$/ }, ({ path }) =>
      path.includes("node_modules")
        ? undefined
        : { contents: readFileSync(path, "utf8").replace(/\n\s+/g, "\n"), loader: "js" },
    );
    // Without the parts that only other programs use, such as kinds of curves and axes that this page does not draw.
    build.onLoad({ filter: /uPlot\.esm\.js$/ }, ({ path }) => {
      let contents = readFileSync(path, "utf8").replace(/\nuPlot\.assign = [^]*\nexport /, "\nexport ");
      for (const name of unused)
        contents = contents.replace(new RegExp(`\n(\t?)function ${name}\\([^]*?\n\\1}\n`), `\nfunction ${name}() {}\n`);
      return { contents, loader: "js" };
    });
  },
};

/** All files of the page: [path, bytes]. */
async function page() {
  const { build } = createRequire(join(folder, "package.json"))("esbuild");
  const built = await build({
    entryPoints: [join(here, "main.js"), join(here, "style.css")],
    outdir: "/",
    write: false,
    bundle: true,
    minify: true,
    format: "esm",
    target: "es2022",
    charset: "utf8",
    legalComments: "none",
    nodePaths: [join(folder, "node_modules")],
    plugins: [ours],
  });
  const files = built.outputFiles.map(file => [basename(file.path), file.contents]);
  for (const name of ["index.html", "icon.svg"]) files.push([name, readFileSync(join(here, name))]);
  return files;
}

function literal(bytes) {
  let text = "";
  for (let begin = 0; begin < bytes.length; begin += 100) {
    text += '\n    "';
    for (const byte of bytes.subarray(begin, begin + 100)) {
      const is_plain = byte >= 0x20 && byte < 0x7f && byte !== 0x22 && byte !== 0x5c && byte !== 0x3f;
      text += is_plain ? String.fromCharCode(byte) : "\\" + byte.toString(8).padStart(3, "0");
    }
    text += '"';
  }
  return `std::string_view(${text || '""'}, ${bytes.length})`;
}

function row([path, bytes]) {
  const etag = createHash("sha256").update(bytes).digest("hex").slice(0, 32);
  return (
    `  {"${path}", "${types[extname(path)]}", "\\"${etag}\\"",\n   ${literal(bytes)},\n` +
    `   ${literal(gzipSync(bytes, { level: 9 }))}},\n`
  );
}

const why_not = install();
if (why_not)
  console.log(`The console is left out: npm cannot get its packages (${why_not}); configure again to try again.`);
const rows = why_not ? [] : (await page()).map(row);
const text = `// Written by console/embed.mjs.
#include "gateway/routes/console_files.h"

#include <array>

namespace millrace::gateway {
namespace {

constexpr std::array<ConsoleFile, ${rows.length}> kFiles = {{
${rows.join("")}}};

}  // namespace

std::span<const ConsoleFile> console_files() { return kFiles; }

}  // namespace millrace::gateway
`;
writeFileSync(source + ".new", text);
renameSync(source + ".new", source);
