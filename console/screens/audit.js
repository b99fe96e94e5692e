// What was done by this page and its API, by whom and with which outcome.
import { usePages } from "../api.js";
import { date, text } from "../format.js";
import { chip, head, html, name, table } from "../ui.js";

export function Audit() {
  return html`${head("Audit log")}${table({
    label: "Audit log", of: usePages("audit"), id: e => e.offset ?? JSON.stringify(e), empty: "Nobody has changed anything yet.", mark: e => e.outcome === "ok" ? "" : "look",
    columns: [["Time", e => date(typeof e.time === "string" ? Date.parse(e.time) : e.time)], ["Who", e => html`${name(e.who)} <span class="muted">${text(e.address)}</span>`],
      ["Did", e => html`<b>${text(e.action)}</b>`], ["Key", e => e.key ? name(e.key) : "–"],
      ["With", e => html`<span class="mono brief">${typeof e.arguments === "string" ? e.arguments : JSON.stringify(e.arguments ?? "")}</span>`, "wide"],
      ["Outcome", e => chip(text(e.outcome), e.outcome === "ok" ? "good" : "look")]],
  })}`;
}
