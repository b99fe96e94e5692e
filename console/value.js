// Contents of messages: JSON with line breaks and colours, other text as it is, bytes with escapes.
import { html } from "./html.js";
import { size, text, visible } from "./format.js";

const TOKENS = /("(?:[^"\\]|\\.)*")(\s*:)?|(-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)|\b(true|false|null)\b/g;
const MOST_COLOURED = 20_000;

/** JSON with line breaks; null if the value is not JSON. @param {any} value */
export function pretty(value) {
  if (typeof value !== "string" || !/^\s*[[{]/.test(value)) return null;
  try {
    return visible(JSON.stringify(JSON.parse(value), null, 2));
  } catch {
    return null;
  }
}

/** @param {string} json */
function coloured(json) {
  const parts = [];
  let end = 0;
  for (const found of json.matchAll(TOKENS)) {
    parts.push(json.slice(end, found.index));
    const [whole, quoted, colon, digits] = found;
    const kind = quoted ? (colon ? "key" : "string") : digits ? "digits" : "word";
    parts.push(html`<span class=${"j-" + kind}>${quoted ?? whole}</span>`, colon ?? "");
    end = found.index + whole.length;
  }
  parts.push(json.slice(end));
  return parts;
}

/** In one line, for lists. @param {{of: any}} props */
export function Brief({ of }) {
  const said = text(of).slice(0, 300).replace(/\s+/g, " ");
  return html`<span class="mono brief">${said || html`<i>empty</i>`}</span>`;
}

/** @param {{of: any, bytes?: number, cut?: boolean}} props */
export function Value({ of, bytes, cut }) {
  const json = pretty(of);
  const shown = json ?? text(of);
  return html`<div class="value">
    <pre tabindex="0" aria-label="Content">${json && json.length < MOST_COLOURED ? coloured(json) : shown || " "}</pre>
    <p class="buttons">${typeof of === "object" && of ? html`<span class="chip look">not UTF-8</span>` : json ? html`<span class="chip">JSON</span>` : null}
      ${bytes !== undefined && html`<span class="muted">${size(bytes)}</span>`}
      ${cut && html`<span class="chip look">the beginning of it</span>`}</p>
  </div>`;
}
