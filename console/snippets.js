// The same operation as a command, a request and a program, for users who want to continue in a terminal.
import { fromBase64, part } from "./format.js";
import { copied, question } from "./ui.js";
/** @typedef {import("./format.js").Bytes} Bytes */

/** A word for bash. @param {Bytes | number} word */
function shell(word) {
  if (typeof word === "object") {
    return (
      "$'" + Array.from(fromBase64(word.base64), byte => "\\x" + byte.toString(16).padStart(2, "0")).join("") + "'"
    );
  }
  const said = String(word);
  return /^[\w.:/@%+=,-]+$/.test(said) ? said : `'${said.replaceAll("'", "'\\''")}'`;
}

/** A word for Python. @param {Bytes | number} word */
function python(word) {
  if (typeof word !== "object") return JSON.stringify(word);
  return 'b"' + Array.from(fromBase64(word.base64), byte => "\\x" + byte.toString(16).padStart(2, "0")).join("") + '"';
}

/** @param {(Bytes | number)[]} words */
const redis = words => ["redis-cli", ...words.map(shell)].join(" ");
/** @param {(Bytes | number)[]} words */
const program = words => `import redis\n\nprint(redis.Redis().execute_command(${words.map(python).join(", ")}))`;

/** @param {string} title @param {(Bytes | number)[]} words of the command @param {string} curl the rest of it, with its path */
function show(title, words, curl) {
  question.set({
    title,
    yes: "",
    text: [copied("redis-cli", redis(words)), copied("curl", `curl ${curl}`), copied("Python", program(words))],
  });
}

/** @param {Bytes} log */
const address = log => shell(`${location.origin}${new URL("..", location.href).pathname}v1/logs/${part(log)}`);

/** @param {Bytes} log @param {number} from */
export const showReading = (log, from) =>
  show(
    "Read from here",
    ["TREAD", log, from, 10],
    `${address(log).replace(/'$/, "")}?from=${from}&count=10${address(log).endsWith("'") ? "'" : ""}`,
  );

/** @param {Bytes} log @param {Bytes} tag @param {Bytes} entry */
export const showWriting = (log, tag, entry) =>
  show(
    "Write this message again",
    ["TWRITE", log, tag, entry],
    `--data-binary ${shell(entry)} ${tag ? `-H ${shell(`Millrace-Tag: ${tag}`)} ` : ""}${address(log)}`,
  );
