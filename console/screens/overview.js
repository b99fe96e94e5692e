// What needs a person, then the figures of the last hour.
import { useEffect, useRef, useState } from "preact/hooks";
import { call } from "../api.js";
import { Curve } from "../chart.js";
import { label, number, part, rate, size, span, text } from "../format.js";
import { chip, figures, head, html, name } from "../ui.js";
/** @typedef {import("../format.js").Body} Body */

/** The screen on which this can be solved. @param {Body} need */
function place(need) {
  if (need.kind === "lock-circle" || need.kind === "lock-waits") return "#/lock-waits";
  if (!need.key) return "#/gateways";
  const to = `#/${need.type}/${part(need.key)}`;
  if (need.kind === "group-stuck") return `${to}/groups/${part(need.name)}`;
  return to + (need.kind === "dead-letters" ? "/dead" : need.kind === "schedule-refused" ? "/schedule" : "");
}

/** @param {{needs: Body[] | undefined, now: number, looking: any}} props */
function Needs({ needs, now, looking }) {
  if (!needs) return html`<ul class="needs"><li class="muted">Looking …</li></ul>`;
  if (!needs.length && !looking)
    return html`<ul class="needs"><li>${chip("well", "good")}<span class="said">Nothing needs you.</span></li></ul>`;
  return html`<ul class="needs">${needs.map(
    need => html`<li key=${need.kind + text(need.key) + text(need.name)}>
    ${chip(need.severity, need.severity)}
    <span class="said"><a href=${place(need)}>${need.key ? name(need.key) : need.kind.replace("-", " ")}</a> ${need.name && need.kind !== "dead-letters" && html`<b>${label(need.name)}</b> `}${need.text}</span>
    <span class="since">${need.since ? `for ${span(now - need.since)}` : ""}</span></li>`,
  )}${looking && html`<li key="looking" class="muted">${looking}</li>`}</ul>`;
}

/** @type {[string, string, string[], (value: any) => string][]} */
const CURVES = [
  ["Messages a second: in", "rates", ["in", "out"], rate],
  ["Lag of groups", "totals", ["lag"], number],
  ["Pending", "totals", ["pending"], number],
  ["Dead letters", "totals", ["dead"], number],
  ["Clients that wait", "totals", ["waiters"], number],
  ["Memory", "totals", ["memory"], size],
  ["Connections", "totals", ["connections"], number],
];

/** The last hour: read once, and then continued with each new value. @param {Body | null} live */
function useHistory(live) {
  const [hour, setHour] = useState(
    /** @type {{times: number[], step: number, of: Record<string, (number | null)[]>} | null} */ (null),
  );
  const last = useRef(0);
  useEffect(() => {
    call("GET", "overview").then(
      ({ history }) => {
        const count = history.in.length;
        last.current = history.end;
        setHour({
          times: Array.from({ length: count }, (_, i) => (history.end - (count - 1 - i) * history.step) / 1000),
          step: history.step,
          of: history,
        });
      },
      () => {},
    );
  }, []);
  useEffect(() => {
    if (!hour || !live || live.now - last.current < hour.step) return;
    last.current = live.now;
    /** @type {Record<string, any>} */
    const of = {};
    for (const [, from, lines] of CURVES) {
      for (const line of lines) of[line] = [...hour.of[line].slice(1), live[from][line] ?? null];
    }
    setHour({ times: [...hour.times.slice(1), live.now / 1000], step: hour.step, of });
  }, [live]);
  if (!hour) return null;
  // A gateway that has just started has little to show: the axis begins at its start, but shows at least five minutes.
  const begin = Math.min(hour.times.length - 60, Math.max(0, hour.of.memory.findIndex(value => value !== null)));
  return {
    times: hour.times.slice(begin),
    of: Object.fromEntries(CURVES.flatMap(([, , lines]) => lines.map(line => [line, hour.of[line].slice(begin)]))),
  };
}

/** @param {{overview: Body | null}} props */
export function Overview({ overview }) {
  const hour = useHistory(overview);
  const { totals = {}, sweep } = overview ?? {};
  const looking =
    sweep?.age === null &&
    (sweep.building
      ? `Still collecting the names of keys: ${number(sweep.building.done)} of ${number(sweep.building.of)}.`
      : `Still looking: ${number(sweep.done)} of ${number(sweep.of)} keys so far.`);
  return html`${head("Overview", undefined, sweep?.age > 20_000 && html`<span class="muted">lag, pending and dead letters as of ${span(sweep.age)} ago</span>`)}
    <h2>What needs a person</h2>
    <${Needs} needs=${overview?.needs} now=${overview?.now} looking=${looking} />
    ${figures(totals, [
      ["Keys", [number(Object.values(totals.keys ?? {}).reduce((sum, n) => sum + n, 0))]],
      ["Lag", "lag"],
      ["Pending", "pending"],
      ["Dead letters", "dead", "number", totals.dead && "look"],
      ["Scheduled", "scheduled"],
      ["Streams", "streams"],
      ["Sockets", "sockets"],
      [
        "Memory",
        [size(totals.memory), totals.memory_limit > 0 && ` of ${size(totals.memory_limit)}`],
        "",
        totals.memory_limit && totals.memory > 0.9 * totals.memory_limit && "act",
      ],
      ["Up", [span((overview?.uptime ?? 0) * 1000)]],
    ])}
    <h2>The last hour</h2>
    <div class="curves">${CURVES.map(([label, from, names, format]) =>
      hour
        ? html`<${Curve} key=${label} label=${label} times=${hour.times} lines=${names.map(line => hour.of[line])} format=${format}
          now=${names.map(line => overview?.[from]?.[line])} />`
        : html`<section key=${label + "-"} class="card curve"><h3>${label}</h3><div class="plot"></div></section>`,
    )}</div>`;
}
