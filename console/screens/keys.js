// All our keys: by type, by name, by size, by lag.
import { useEffect } from "preact/hooks";
import { usePages } from "../api.js";
import { number, part, rate, size, span } from "../format.js";
import { chip, head, html, input, link, name, table } from "../ui.js";
/** @typedef {import("../format.js").Body} Body */

/** @type {Record<string, [string, string]>} */
export const TYPES = {
  log: ["Log", "Logs"],
  channel: ["Channel", "Channels"],
  pool: ["Pool", "Pools"],
  lock: ["Lock", "Locks"],
  route: ["Routes", "Routes"],
  index: ["Index", "Indexes"],
  fact: ["Facts", "Facts"],
  suggest: ["Suggestions", "Suggestions"],
};

/** @type {Record<string, [string, (figures: Body) => any][]>} */
const FIGURES = {
  log: [
    ["Lag", f => number(f.lag)],
    ["Oldest", f => (f["oldest-ms"] ? span(f["oldest-ms"]) : "–")],
    ["Pending", f => number(f.pending)],
    ["Messages", f => number(f.messages)],
    ["Per second", f => rate(f.rate)],
    ["Groups", f => number(f.groups)],
  ],
  channel: [
    ["Messages", f => number(f.messages)],
    ["Subscribers", f => number(f.subscribers)],
    ["Behind", f => number(f.behind)],
  ],
  pool: [
    ["Workers", f => number(f.workers)],
    ["Stale", f => number(f.stale)],
    ["Recipients", f => number(f.recipients)],
    ["Pending", f => number(f.pending)],
  ],
  lock: [
    ["State", f => f.state],
    ["Holders", f => number(f.holders)],
    ["Waiting", f => number(f.waiting)],
    ["Lease", f => span(f["lease-ms"])],
  ],
  route: [
    ["Devices", f => number(f.devices)],
    ["Subscriptions", f => number(f.subscriptions)],
    ["Filters", f => number(f.filters)],
  ],
  index: [
    ["Documents", f => number(f.documents)],
    ["State", f => f.state],
    ["Conflicts", f => number(f.conflicts)],
  ],
  fact: [["Facts", f => number(f.facts)]],
  suggest: [["Terms", f => number(f.terms)]],
};

/** The figures of a key in a list of all types. @param {Body} row */
const summary = row =>
  (FIGURES[row.type] ?? [])
    .filter(([, of]) => !["–", "0", undefined].includes(of(row.figures ?? {})))
    .slice(0, 4)
    .map(([title, of]) => `${title.toLowerCase()} ${of(row.figures)}`)
    .join(", ");

/** @param {Body} row */
function mark(row) {
  const f = row.figures ?? {};
  return f.stale || (f["oldest-ms"] > 60000 && f.lag + f.pending > 0)
    ? "act"
    : (row.dead && f.messages) || f.behind || f.conflicts
      ? "look"
      : "";
}

/** @param {{at: {query: URLSearchParams}}} props */
export function Keys({ at }) {
  const type = at.query.get("type") ?? "",
    search = at.query.get("search") ?? "",
    order = at.query.get("order") ?? "name";
  useEffect(() => {
    if (at.query.get("focus")) document.getElementById("search")?.focus();
  }, []);
  /** @param {Record<string, string>} changes */
  const go = changes => {
    const query = new URLSearchParams({ type, search, order, ...changes });
    for (const [word, value] of Array.from(query))
      if (!value || (word === "order" && value === "name")) query.delete(word);
    location.replace(`#/keys?${query}`);
  };
  const query = new URLSearchParams({ order, ...(type && { type }), ...(search && { search }) });
  const pages = usePages(`keys?${query}`);
  const building = pages.body?.building;
  /** @param {string} by @param {string} label */
  const sorted = (by, label) =>
    html`<button aria-pressed=${order === by} onClick=${() => go({ order: by })}>${label}${order === by ? " ▾" : ""}</button>`;
  /** @type {import("../ui.js").Column[]} */
  const columns = type
    ? (FIGURES[type] ?? []).map(([title, of]) => [
        title === "Lag" ? sorted("lag", title) : title,
        row => of(row.figures ?? {}),
        "num",
      ])
    : [
        ["Type", row => TYPES[row.type]?.[0] ?? row.type, "date"],
        ["Figures", summary, "wide"],
      ];
  return html`${head(
    TYPES[type]?.[1] ?? "All keys",
    undefined,
    html`<span class="muted">${pages.body?.total !== undefined && `${number(pages.body.total)} keys`}</span>
      ${building && chip(`indexing: ${number(building.done)} of ${number(building.of)}`, "look")}`,
  )}
    <div class="tools">${input("Search by name", value => go({ search: value }), { key: type, id: "search", value: search })}
      <label>Order <select value=${order} onChange=${(/** @type {any} */ e) => go({ order: e.target.value })}>
        <option value="name">by name</option><option value="size">by size</option><option value="lag">by lag</option></select></label></div>
    ${table({
      label: "Keys",
      of: pages,
      id: row => part(row.key),
      mark,
      empty: search ? "No key has this in its name." : "There is no key of this type yet.",
      columns: [
        [
          sorted("name", "Name"),
          row => html`${row.cut ? html`${name(row.key)} … ${chip(`a name of ${size(row.bytes)}`, "look")}` : link(row.type, row.key)} ${row.dead && chip("dead letters", "look")}`,
          type ? "wide" : "key",
        ],
        ...columns,
        [sorted("size", "Memory"), "memory", "size"],
        ["Expires", row => (row.expires ? span(row.expires - Date.now()) : "–"), "num"],
      ],
    })}`;
}
