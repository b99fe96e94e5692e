// A browser for the tests: reads a line of JSON for each step, {"code": …, "given": …}, runs it and prints what it
// returned, or why it failed. `code` can use `page`, `given` (the values from the test), and the functions below. All
// lines use the same page; `fresh()` makes a new one.
import { createInterface } from "node:readline";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { chromium } from "playwright-core";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const browser = await chromium.launch({
  executablePath: process.argv[2],
  args: ["--no-sandbox", "--no-proxy-server", "--disable-gpu"],
});
let context, page, seen;

/** A new page, in light or dark; its errors and its requests are recorded in `seen`. */
async function fresh(options = {}) {
  await context?.close();
  context = await browser.newContext({ viewport: { width: 1280, height: 800 }, reducedMotion: "reduce", ...options });
  page = await context.newPage();
  page.setDefaultTimeout(20_000);
  seen = { complaints: [], requests: [] };
  page.on("pageerror", error => seen.complaints.push(String(error)));
  page.on("console", message => {
    if (message.type() === "error" || message.type() === "warning") seen.complaints.push(message.text());
  });
  page.on("request", request => seen.requests.push(request.url()));
  return page;
}

/** What axe-core finds wrong with the page as it is: a line each. */
async function violations() {
  if (!(await page.evaluate("!!window.axe"))) await page.evaluate(axe);
  const found = await page.evaluate(() => window.axe.run(document, { resultTypes: ["violations"] }));
  return found.violations.map(
    one =>
      `${one.id}: ${one.nodes
        .map(node => node.html.slice(0, 150))
        .slice(0, 3)
        .join(" | ")}`,
  );
}

/** Whether the page, or a table in it, is wider than the room it has. */
const overflows = () =>
  page.evaluate(() =>
    [document.documentElement, ...document.querySelectorAll(".table")].some(box => box.scrollWidth > box.clientWidth),
  );

/** Goes to a screen of the console that is open. */
async function screen(hash) {
  await page.evaluate(to => {
    location.hash = to;
  }, hash);
}

await fresh();
const AsyncFunction = (async () => {}).constructor;
for await (const line of createInterface({ input: process.stdin })) {
  const { code, given } = JSON.parse(line);
  let told;
  try {
    const run = new AsyncFunction("page", "given", "fresh", "violations", "overflows", "screen", "seen", code);
    told = { value: (await run(page, given, fresh, violations, overflows, screen, seen)) ?? null };
  } catch (error) {
    told = { error: String(error.stack ?? error).slice(0, 3000) };
  }
  console.log(JSON.stringify(told));
}
await browser.close();
