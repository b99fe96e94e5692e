// How values are shown, and how names become parts of paths. A byte string of the server is a string, or {base64} if it
// is not UTF-8.

/** @typedef {string | {base64: string}} Bytes */
/** @typedef {Record<string, any>} Body an answer of the API */

const grouped = new Intl.NumberFormat("en-US");
const short = new Intl.NumberFormat("en-US", { maximumFractionDigits: 1 });

/** @param {any} value a number, or a decimal string beyond 2^53 */
export function number(value) {
  if (value === null || value === undefined) return "–";
  return typeof value === "string" ? value.replace(/\B(?=(\d{3})+$)/g, ",") : grouped.format(Math.round(value));
}

/** @param {any} value per second */
export const rate = value =>
  value === null || value === undefined
    ? "–"
    : (value < 10 ? short : grouped).format(value < 10 ? value : Math.round(value));

/** @param {any} count */
export function size(count) {
  if (count === null || count === undefined) return "–";
  let value = Number(count),
    unit = 0;
  const units = ["B", "KB", "MB", "GB", "TB"];
  for (; value >= 1000 && unit < 4; ++unit) value /= 1024;
  return `${unit === 0 || value >= 100 ? Math.round(value) : short.format(value)} ${units[unit]}`;
}

/** A duration, in at most two units. @param {any} ms */
export function span(ms) {
  if (!ms || ms < 0) return "–";
  const s = Math.floor(ms / 1000);
  if (s < 1) return `${Math.round(ms)} ms`;
  const pairs = [
    [86400, "d"],
    [3600, "h"],
    [60, "m"],
    [1, "s"],
  ];
  const first = pairs.findIndex(([seconds]) => s >= Number(seconds));
  return pairs
    .slice(first, first + 2)
    .map(([seconds, unit], i) => {
      const of = i === 0 ? s : s % Number(pairs[first][0]);
      return [Math.floor(of / Number(seconds)), unit];
    })
    .filter(([count], i) => i === 0 || count)
    .map(pair => pair.join(" "))
    .join(" ");
}

/** A date in local time. @param {any} ms */
export function date(ms) {
  if (!ms) return "–";
  const at = new Date(Number(ms));
  const local = new Date(at.getTime() - at.getTimezoneOffset() * 60000).toISOString();
  const is_today = at.toDateString() === new Date().toDateString();
  return is_today ? local.slice(11, 19) : local.slice(0, 19).replace("T", " ");
}

/** @param {string} text */
export const fromBase64 = text => Uint8Array.from(atob(text), c => c.charCodeAt(0));

// Control characters, and those that change the direction of the text beside them: one name must not look like another.
const hidden = /[\0-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g;
/** @param {string} said */
export const visible = said =>
  said.replace(hidden, c => "\\u" + c.charCodeAt(0).toString(16).padStart(4, "0"));

/** Bytes as text: bytes that are not UTF-8 as \xff, hidden characters as \u0007; line breaks stay. @param {any} value
 *  */
export function text(value) {
  if (value === null || value === undefined) return "–";
  if (typeof value === "string") return visible(value);
  if (typeof value !== "object" || typeof value.base64 !== "string") return String(value);
  return Array.from(fromBase64(value.base64), byte =>
    (byte >= 0x20 && byte < 0x7f && byte !== 0x5c) || byte === 10
      ? String.fromCharCode(byte)
      : "\\x" + byte.toString(16).padStart(2, "0"),
  ).join("");
}

/** A name in one line, in a form that a person can type. @param {any} value */
export const label = value => text(value).replace(/\n/g, "\\n").replace(/\t/g, "\\t");

/** A name as a part of a path. @param {Bytes} name */
export const part = name =>
  typeof name === "string"
    ? encodeURIComponent(name)
    : Array.from(fromBase64(name.base64), byte => "%" + byte.toString(16).padStart(2, "0")).join("");

/** Decodes what part() has encoded. @param {string} encoded @returns {Bytes} */
export function unpart(encoded) {
  try {
    return decodeURIComponent(encoded);
  } catch {
    const bytes = encoded.replace(/%(..)/g, (_, digits) => String.fromCharCode(parseInt(digits, 16)));
    return { base64: btoa(bytes) };
  }
}
