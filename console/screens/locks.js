// Locks: their holders and for how long, waiting clients, and circles of owners that wait for each other.
import { useRef } from "preact/hooks";
import { call, useLive } from "../api.js";
import { label, number, part, span, text } from "../format.js";
import { Brief } from "../value.js";
import { change, chip, head, html, keyHead, link, name, problem, table } from "../ui.js";
/** @typedef {import("../format.js").Bytes} Bytes */

/** A lease that runs down, compared with the longest remaining time seen. @param {{left: number}} props */
function Lease({ left }) {
  const most = useRef(left);
  most.current = Math.max(most.current, left);
  return html`<span class="lease ${left < most.current / 4 ? "low" : ""}" aria-hidden="true"><i style=${{ width: `${Math.round((100 * left) / (most.current || 1))}%` }}></i></span>${span(left)}`;
}

/** @param {Bytes} key @param {boolean} [disabled] */
const breaking = (key, disabled) =>
  change(
    "Break …",
    {
      title: `Break the lock ${label(key)}?`,
      danger: true,
      yes: "Break the lock",
      typed: label(key),
      text: "Its holders lose it without being asked. One that still works then works without the lock: make sure that it has ended.",
      act: async () =>
        (await call("POST", `locks/${part(key)}/break`, {})).broken
          ? "Broken: the next in line has it."
          : "It was free already.",
    },
    { danger: true, disabled, aria: `Break ${label(key)}` },
  );

/** @param {{at: {names: Bytes[]}}} props */
export function Lock({ at }) {
  const [key] = at.names;
  const live = useLive(`locks/${part(key)}`);
  const lock = live.body;
  return html`${keyHead(
    "Lock",
    key,
    live,
    [
      ["State", [lock ? (lock.holding ? "held" : "free") : "–"]],
      ["Mode", "mode", "text"],
      ["Holders", "holding"],
      ["Permits", [number(lock?.permits || null)]],
      ["In line", "waiting", "number", lock?.waiting && "look"],
    ],
    breaking(key, !lock?.holding),
  )}
    <h2>Holders</h2>${table({
      label: "Holders",
      of: lock?.holders,
      id: "owner",
      empty: "Nobody holds it.",
      columns: [
        ["Owner", "owner", "name wide"],
        ["Lease", o => html`<${Lease} key=${o.token} left=${o.ttl} />`, "num"],
        ["Holds", "holds", "number"],
        ["Token", "token", "name date"],
        ["Value", o => (o.value ? html`<${Brief} of=${o.value} />` : "–"), "key"],
      ],
    })}<h2>The line</h2>${table({
      label: "The line",
      of: lock?.waiters,
      id: "owner",
      empty: "Nobody waits.",
      columns: [
        ["Place", (_, index) => index + 1, "num"],
        ["Owner", "owner", "name wide"],
        ["Wants", "mode"],
        ["Waits for", "waited", "span"],
      ],
    })}`;
}

/** All clients that wait for a lock, and the circles. */
export function LockWaits() {
  const { body, error } = useLive("lock-waits");
  /** @type {any[][]} */
  const cycles = body?.cycles ?? [];
  return html`${head("Lock waits")}${problem(error)}
    ${cycles.map(
      owners =>
        html`<p class="verdict act" key=${owners.map(text).join()}>${chip("circle", "act")} ${owners.map(
          owner => html`<b>${name(owner)}</b> waits for `,
        )}<b>${name(owners[0])}</b>. Nobody goes on until a lease ends or a lock is broken.</p>`,
    )}
    ${body && !cycles.length && html`<p class="verdict">${body.waiting ? `${number(body.waiting)} wait, and nobody in a circle.` : "Nobody waits for a lock."}</p>`}
    ${table({
      label: "Waits",
      of: body?.items,
      id: w => text(w.owner) + text(w.key),
      empty: "Nobody waits.",
      columns: [
        ["Waits for", "waited", "span"],
        ["Owner", "owner", "name"],
        ["Lock", w => link("lock", w.key), "wide"],
        ["Held by", w => (w.holders ?? []).map(text).join(", ")],
        ["Wants", "mode"],
        ["", w => breaking(w.key), "bare"],
      ],
    })}`;
}
