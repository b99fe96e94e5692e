// A log: its figures, and the content of each tab.
import { useLive, usePages } from "../api.js";
import { number, part, size, span } from "../format.js";
import { html, keyHead, link, table, tabs } from "../ui.js";
import { Messages } from "./messages.js";
import { Group, isStuck } from "./group.js";
import { Dead } from "./dead.js";
import { Schedule } from "./schedule.js";
/** @typedef {import("../format.js").Body} Body */
/** @typedef {import("../format.js").Bytes} Bytes */

/** @type {Record<string, any>} */
const TABS = { messages: Messages, groups: Groups, schedule: Schedule, dead: Dead };

/** @param {{at: {names: Bytes[], query: URLSearchParams}}} props */
export function LogScreen({ at }) {
  const [key, tab = "messages", group] = at.names;
  const begin = at.query.get("from") ?? "";
  const live = useLive(`logs/${part(key)}`);
  const log = live.body;
  if (group !== undefined) return html`<${Group} key=${group} log=${key} group=${group} info=${log} />`;
  return html`${keyHead("Log", key, live, [
    ["Messages", "messages"],
    ["First", "first"],
    ["Last", "last"],
    ["Last written", "last-time", "date"],
    ["Content", "bytes", "size"],
    ["Memory", "memory", "size"],
    ["Kept", [kept(log)]],
  ])}
    ${tabs("Of this log", `#/log/${part(key)}`, String(tab), [
      ["messages", "Messages"],
      ["groups", `Groups ${counted(log?.["group-count"])}`],
      ["schedule", `Schedule ${counted(log?.scheduled)}`],
      ["dead", `Dead letters ${log?.dead_of?.length ? counted(log.messages) : ""}`],
    ])}
    <${TABS[String(tab)] ?? Messages} key=${begin} log=${key} info=${log} begin=${begin} />`;
}

/** @param {any} count */
const counted = count => (count ? number(count) : "");

/** What decides which messages stay. @param {Body | null} log */
function kept(log) {
  if (!log) return "–";
  const limits = [
    log["retain-count"] && number(log["retain-count"]),
    log["retain-age"] && span(log["retain-age"]),
    log["retain-bytes"] && size(log["retain-bytes"]),
    log["retain-acked"] === "yes" && "until acked",
    log["retain-latest"] === "yes" && "latest",
  ];
  return limits.filter(Boolean).join(", ") || "all";
}

/** How far each group is, and which groups are stuck. @param {{log: Bytes, info: Body | null}} props */
function Groups({ log, info }) {
  return table({
    label: "Groups",
    of: usePages(`logs/${part(log)}/groups`),
    id: "name",
    mark: g => (isStuck(g) ? "act" : ""),
    empty: "Nobody reads this log as a group.",
    columns: [
      ["Group", g => link(`log/${part(log)}/groups`, g.name), "wide"],
      ["Lag", "lag", "number"],
      ["Oldest", g => (g["oldest-ms"] ? span(g["oldest-ms"]) : "–"), "num"],
      ["Pending", "pending", "number"],
      ["Position", g => html`${number(g.last)} <span class="muted">of ${number(info?.last)}</span>`, "num"],
      ["Again", "redelivered", "number"],
      ["Given up", g => number(g.expired + g.exhausted), "num"],
      ["Lost", "lost", "number"],
      ["Dead letters", g => (g["dead-letter"] ? link("log", g["dead-letter"], "/dead") : "–")],
    ],
  });
}
