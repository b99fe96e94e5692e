// The audit log: what was done by this page and its API, by which user, and with which outcome.
import { usePages } from "../api.js";
import { text } from "../format.js";
import { chip, head, html, name, table } from "../ui.js";

export function Audit() {
  return html`${head("Audit log")}${table({
    label: "Audit log",
    of: usePages("audit"),
    id: "offset",
    empty: "Nobody has changed anything yet.",
    mark: e => (e.outcome === "done" ? "" : "look"),
    columns: [
      ["Time", "time", "date"],
      ["Who", e => html`${name(e.who)} <span class="muted">${text(e.address)}</span>`, "key"],
      ["Did", e => html`<b>${text(e.action)}</b>`, "date"],
      ["Key", e => (e.key ? name(e.key) : "–")],
      ["With", e => html`<span class="mono brief">${JSON.stringify(e.arguments)}</span>`, "wide"],
      [
        "Outcome",
        e => chip(`${e.outcome} ${e.outcome === "done" ? "" : e.status}`, e.outcome === "done" ? "good" : "look"),
      ],
    ],
  })}`;
}
