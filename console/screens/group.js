// One group: since when it is stuck and on which worker, and actions against that.
import { useState } from "preact/hooks";
import { call, useLive, usePages } from "../api.js";
import { label, number, part, span, text } from "../format.js";
import { change, chip, figures, head, html, link, name, problem, removal, table, muted, pressed } from "../ui.js";
/** @typedef {import("../format.js").Body} Body */
/** @typedef {import("../format.js").Bytes} Bytes */

/** Whether the group needs attention. @param {Body | null} group */
export const isStuck = group => !!group && group["oldest-ms"] > 60_000 && group.lag + group.pending > 0;

/** @param {{log: Bytes, group: Bytes, info: Body | null}} props */
export function Group({ log, group, info }) {
  const path = `logs/${part(log)}/groups/${part(group)}`;
  const { body: state, error } = useLive(path);
  const [consumer, setConsumer] = useState(/** @type {Bytes | null} */ (null));
  const pending = usePages(`${path}/pending${consumer === null ? "" : `?consumer=${part(consumer)}`}`);
  const items = pending.items ?? [];
  const stuck = isStuck(state) && "act";
  const dead = state?.["dead-letter"];
  return html`<p class="crumb"><a href=${`#/log/${part(log)}/groups`}>Groups of ${name(log)}</a></p>
    ${head("Group", group, [
      change("Seek …", seeking(path, group, info)),
      removal(
        "Drop",
        `the group ${label(group)}`,
        "Its position and its pending messages are forgotten. Workers that go on reading create it anew.",
        path,
        { typed: label(group), to: `#/log/${part(log)}/groups` },
      ),
    ])}
    ${problem(error)}
    ${state && html`<${Verdict} state=${state} items=${consumer === null ? items : []} />`}
    ${figures(state, [
      ["Lag", "lag", "number", stuck],
      ["Oldest unfinished", "oldest-ms", "span", stuck],
      ["Pending", "pending"],
      ["Position", [`${number(state?.last)} of ${number(info?.last)}`]],
      ["Delivered again", "redelivered"],
      ["Given up", [number(state && state.expired + state.exhausted)]],
      ["Lost", "lost", "number", state?.lost && "look"],
      ["Most attempts", [number(state?.["max-attempts"] || null)]],
    ])}
    ${dead && html`<p class="note">Messages that are given up go to ${link("log", dead, "/dead")}.</p>`}
    ${
      consumer === null
        ? html`<${Holders} items=${items} onChoose=${setConsumer} />`
        : html`<p class="note">Only what ${name(consumer)} holds. <button class="link" onClick=${() => setConsumer(null)}>Show all</button></p>`
    }
    <${Pending} path=${path} pages=${pending} log=${log} dead=${dead} />`;
}

/** @param {{path: string, pages: any, log: Bytes, dead: any}} props */
function Pending({ path, pages, log, dead }) {
  const [chosen, choose] = useState(/** @type {Set<number>} */ (new Set()));
  /** @type {number[]} */
  const all = (pages.items ?? []).map((/** @type {Body} */ one) => one.offset);
  const offsets = all.filter(offset => chosen.has(offset));
  const many = `${offsets.length} ${offsets.length === 1 ? "message" : "messages"}`;
  /** @param {string} word @param {string} what @param {any} said @param {any} [fields] @param {(values: Record<string, string>) => Body} [more] */
  const order = (word, what, said, fields, more) =>
    change(
      word,
      {
        title: `${word} ${many}?`,
        yes: word,
        text: said,
        danger: what === "dead-letter",
        fields,
        act: async values => {
          await call("POST", `${path}/${what}`, { offsets, ...more?.(values) });
          choose(new Set());
          return `${word}: done.`;
        },
      },
      { disabled: !offsets.length, danger: what === "dead-letter" },
    );
  /** @param {string} title @param {boolean} checked @param {number[]} next */
  const box = (title, checked, next) =>
    html`<input type="checkbox" aria-label=${title} checked=${checked} disabled=${!all.length} onChange=${() => choose(new Set(next))} />`;
  return html`<div class="tools"><h2>Pending messages</h2><span class="gap"></span><span class="muted">${offsets.length ? `${many} chosen` : ""}</span>
      ${order("Give back", "give-back", "They are delivered again at once, to any worker. The attempt does not count.")}
      ${order(
        "Extend",
        "extend",
        "The worker keeps them for so long from now on.",
        [{ name: "seconds", label: "Seconds", type: "number", value: 300 }],
        values => ({ lease_ms: Math.round(Number(values.seconds) * 1000) }),
      )}
      ${order("Acknowledge", "acknowledge", "They count as done, and are not delivered again.")}
      ${order(
        "Dead-letter",
        "dead-letter",
        dead
          ? html`They go to ${name(dead)}, from where they can be sent back.`
          : "This group has no log for dead letters: they are gone for it.",
        [{ name: "reason", label: "Reason", value: "given up by hand" }],
        ({ reason }) => ({ reason }),
      )}</div>
    ${table({
      label: "Pending messages",
      of: pages,
      id: "offset",
      empty: "Nothing is pending: no worker holds a message.",
      mark: m => (m.attempts > 2 ? "look" : ""),
      columns: [
        [
          box("All", all.length > 0 && offsets.length === all.length, offsets.length === all.length ? [] : all),
          m =>
            box(
              `Message ${m.offset}`,
              chosen.has(m.offset),
              chosen.has(m.offset) ? offsets.filter(one => one !== m.offset) : [...offsets, m.offset],
            ),
          "tick",
        ],
        ["Offset", m => html`<a href=${`#/log/${part(log)}/messages?from=${m.offset}`}>${number(m.offset)}</a>`, "num"],
        ["Held by", m => (m.consumer === null ? muted("nobody") : name(m.consumer)), "wide"],
        ["Attempts", "attempts", "number"],
        ["Again in", m => (m.retry === 0 ? chip("due", "look") : span(m.retry)), "num"],
        ["Given up in", m => (m.expiry < 0 ? "never" : span(m.expiry)), "num"],
      ],
    })}`;
}

/** What is wrong, in a sentence. @param {{state: Body, items: Body[]}} props */
function Verdict({ state, items: [oldest] }) {
  if (!state.lag && !state.pending) return html`<p class="verdict">Done with everything.</p>`;
  const age = html`<b>${span(state["oldest-ms"])}</b> old`;
  return html`<p class="verdict ${isStuck(state) ? "act" : ""}">${
    oldest
      ? html`The oldest unfinished message, ${number(oldest.offset)}, is ${age}. ${
          oldest.consumer
            ? html`<b>${name(oldest.consumer)}</b> holds it in attempt ${oldest.attempts}`
            : "No worker holds it"
        }; ${
          oldest.retry ? `it is delivered again in ${span(oldest.retry)}.` : "it waits for a worker to take it again."
        }`
      : html`The oldest unfinished message is ${age}, and no worker holds anything: is one running?`
  }</p>`;
}

/** How many of the shown pending messages each worker holds. @param {{items: Body[], onChoose: (consumer: Bytes) =>
 *  void}} props */
function Holders({ items, onChoose }) {
  /** @type {Map<string, Body>} */
  const by = new Map();
  for (const { consumer, offset, attempts, retry } of items) {
    if (consumer === null) continue;
    const seen = by.get(text(consumer)) ?? { consumer, count: 0, attempts, retry, first: offset };
    by.set(text(consumer), {
      ...seen,
      count: seen.count + 1,
      attempts: Math.max(seen.attempts, attempts),
      retry: Math.min(seen.retry, retry),
    });
  }
  return (
    by.size > 0 &&
    html`<h2>Workers that hold messages</h2>${table({
      label: "Workers",
      of: Array.from(by.values()),
      id: "consumer",
      columns: [
        ["Worker", w => pressed(name(w.consumer), () => onChoose(w.consumer)), "wide"],
        ["Holds", "count", "number"],
        ["Oldest offset", "first", "number"],
        ["Most attempts", "attempts", "number"],
        ["Next lease ends in", w => (w.retry ? span(w.retry) : chip("due", "look")), "num"],
      ],
    })}`
  );
}

/** @param {string} path @param {Bytes} group @param {Body | null} info @returns {import("../ui.js").Question} */
const seeking = (path, group, info) => ({
  title: `Move the group ${text(group)}`,
  danger: true,
  yes: "Move",
  text: `What is pending is forgotten. Forward skips messages, back delivers them again. The log has ${number(info?.first)} to ${number(info?.last)}.`,
  fields: [
    {
      name: "how",
      label: "To",
      value: "offset",
      options: [
        ["offset", "an offset"],
        ["time", "a date"],
        ["end", "the end: only new messages"],
        ["start", "the first message"],
      ],
    },
    { name: "offset", label: "Offset, delivered next", type: "number", value: info?.first },
    { name: "time", label: "Date", type: "datetime-local" },
  ],
  act: async ({ how, offset, time }) => {
    const to =
      how === "offset"
        ? Number(offset)
        : how === "end"
          ? "$"
          : how === "start"
            ? (info?.first ?? 1)
            : { time: Date.parse(time) };
    await call("POST", `${path}/seek`, { to });
    return `Moved ${text(group)}.`;
  },
});
