// A graph of facts, and a dictionary of suggestions: figures, and terms to try.
import { useState } from "preact/hooks";
import { useLive } from "../api.js";
import { part } from "../format.js";
import { html, input, keyHead, table } from "../ui.js";
/** @typedef {{at: {names: import("../format.js").Bytes[]}}} Props */

/** @param {Props} props */
export function Facts({
  at: {
    names: [key],
  },
}) {
  return keyHead("Facts", key, useLive(`facts/${part(key)}`), [
    ["Facts", "facts"],
    ["Names", "names"],
    ["Bytes of names", "name-bytes", "size"],
  ]);
}

/** @param {Props} props */
export function Suggest({
  at: {
    names: [key],
  },
}) {
  const [prefix, setPrefix] = useState("");
  const live = useLive(`suggests/${part(key)}?prefix=${encodeURIComponent(prefix)}&count=50`);
  return html`${keyHead("Suggestions", key, live, [
    ["Terms", "terms"],
    ["Bytes", "term-bytes", "size"],
    ["Best score", "best-score", "text"],
  ])}
    <div class="tools">${input("Type a beginning", setPrefix)}</div>
    ${table({
      label: "Terms",
      of: live.body?.items,
      id: "term",
      empty: "No term begins so.",
      columns: [
        ["Term", "term", "name wide"],
        ["Score", "score", "num"],
      ],
    })}`;
}
