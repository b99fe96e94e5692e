// A pool: its workers, what each has to do, and which one is stale.
import { useState } from "preact/hooks";
import { call, useLive, usePages } from "../api.js";
import { number, part, span, text } from "../format.js";
import { change, chip, html, keyHead, link, name, removal, table, pressed } from "../ui.js";
/** @typedef {import("../format.js").Bytes} Bytes */

/** @param {{at: {names: Bytes[]}}} props */
export function Pool({ at }) {
  const [key] = at.names;
  const path = `pools/${part(key)}`;
  const live = useLive(path);
  const pool = live.body;
  const workers = usePages(`${path}/workers`);
  const [chosen, choose] = useState(/** @type {Bytes | null} */ (null));
  const stale = workers.items?.filter(worker => worker.stale).length;
  return html`${keyHead(
    "Pool",
    key,
    live,
    [
      ["Workers", "joined"],
      ["Stale", [number(stale)], "", stale && "act"],
      ["Recipients", "recipients"],
      ["Pending", "pending"],
      ["Moves", "moved"],
      ["Failovers", "failovers", "number", pool?.failovers && "look"],
      ["Given up", "dead"],
      ["Stale after", "stale", "span"],
      ["Policy", "policy", "text"],
    ],
    change("Rebalance …", {
      title: `Rebalance ${text(key)}?`,
      yes: "Rebalance",
      text: "Recipients with nothing pending move from workers that have many to workers that have few.",
      act: async () => `Moved ${number((await call("POST", `${path}/rebalance`, {})).moved)} recipients.`,
    }),
  )}
    ${pool?.deadletter && html`<p class="note">Payloads that are given up go to ${link("log", pool.deadletter)}.</p>`}
    <h2>Workers</h2>${table({
      label: "Workers",
      of: workers,
      id: "name",
      empty: "No worker has joined.",
      mark: w => (w.stale ? "act" : ""),
      columns: [
        ["Worker", w => pressed(name(w.name), () => choose(w.name)), "wide"],
        ["State", w => (w.stale ? chip("stale", "act") : chip(w.state, w.state === "working" ? "good" : "look"))],
        ["Recipients", "recipients", "number"],
        ["Pending", "pending", "number"],
        ["Last seen", w => (w.age === null ? "–" : w.age ? `${span(w.age)} ago` : "now"), "num"],
        [
          "",
          w =>
            removal(
              "Remove",
              `the worker ${text(w.name)}`,
              `Its ${number(w.recipients)} recipients move to the other workers; what it still does counts no more.`,
              `${path}/workers/${part(w.name)}`,
            ),
          "bare",
        ],
      ],
    })}
    ${chosen !== null && html`<${Recipients} key=${text(chosen)} path=${`${path}/workers/${part(chosen)}/recipients`} worker=${chosen} />`}`;
}

/** @param {{path: string, worker: Bytes}} props */
const Recipients = ({ path, worker }) =>
  html`<h2>Recipients of ${name(worker)}</h2>${table({
    label: "Recipients",
    of: usePages(path),
    id: "name",
    empty: "It has no recipients.",
    columns: [
      ["Recipient", "name", "name wide"],
      ["Pending", "pending", "number"],
    ],
  })}`;
