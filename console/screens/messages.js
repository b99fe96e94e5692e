// The messages of a log: the newest as they arrive, or those from an offset or a time on.
import { useEffect, useState } from "preact/hooks";
import { call, useLive } from "../api.js";
import { part, text } from "../format.js";
import { showReading, showWriting } from "../snippets.js";
import { attempt, change, html, input, problem, removal, table, muted } from "../ui.js";
import { Value } from "../value.js";
/** @typedef {import("../format.js").Body} Body */
/** @typedef {import("../format.js").Bytes} Bytes */

/** Where to begin: an offset, or a date that a person types. @param {string} given */
function beginning(given) {
  if (/^-?\d+$/.test(given)) return `from=${given}`;
  const time = Date.parse(
    /^\d\d:\d\d/.test(given) ? `${new Date().toLocaleDateString("sv")}T${given}` : given.replace(" ", "T"),
  );
  if (Number.isNaN(time)) throw new Error("Give an offset, a time (14:05) or a date (2026-11-18 14:05).");
  return `time=${time}`;
}

/** @param {{log: Bytes, begin: string}} props */
export function Messages({ log, begin }) {
  const [tags, setTags] = useState("");
  const [from, setFrom] = useState(begin);
  const [paused, pause] = useState(/** @type {Body | null} */ (null));
  const [page, setPage] = useState(/** @type {Body | null} */ (null));
  const path = `logs/${part(log)}/messages?count=50${tags && `&tags=${encodeURIComponent(tags)}`}`;
  const tail = useLive(from || paused ? null : `${path}&rev=1`);
  /** @param {string} query @param {Body[]} before */
  const load = async (query, before = []) => {
    const got = await call("GET", `${path}&${query}`);
    setPage({ ...got, items: [...before, ...got.items] });
  };
  useEffect(() => {
    setPage(null);
    if (from) attempt(async () => load(beginning(from)));
  }, [from, tags]);
  const shown = from ? page : (paused ?? tail.body);
  return html`<div class="tools">${input("From offset or time", setFrom, { value: begin })}${input("Only these tags: a,b", setTags)}
      ${
        from
          ? muted("oldest first")
          : html`<button aria-pressed=${!!paused} onClick=${() => pause(paused ? null : tail.body)}>${paused ? "▶ Go on" : "❚❚ Pause"}</button>
          <span class="muted">${paused ? "paused" : "newest first, live"}</span>`
      }
      <span class="gap"></span>${change("Write …", writing(log))}</div>
    ${problem(tail.error)}
    ${table({
      label: "Messages",
      id: "offset",
      content: "entry",
      empty: tags ? "No message with these tags." : "No messages.",
      of: {
        items: shown?.items ?? null,
        more: from && page?.cursor && (() => load(`cursor=${encodeURIComponent(page.cursor)}`, page.items)),
      },
      columns: [
        ["Offset", "offset", "number"],
        ["Time", "time", "date"],
        ["Tag", "tag", "name"],
        ["Size", "bytes", "size"],
      ],
      inside: m => html`<${Inside} key=${m.offset} log=${log} message=${m} />`,
    })}`;
}

/** @param {{log: Bytes, message: Body}} props */
function Inside({ log, message }) {
  const [whole, setWhole] = useState(message);
  const path = `logs/${part(log)}/messages/${message.offset}`;
  // A copied command must contain the whole message, not only the part that is shown.
  const copy = async () => {
    const all = whole.cut || whole.tag_bytes ? await call("GET", path) : whole;
    if (all.cut || all.tag_bytes) throw new Error("It is too large to be copied: use millrace export.");
    showWriting(log, all.tag, all.entry);
  };
  return html`${whole !== message && html`<${Value} of=${whole.entry} bytes=${whole.bytes} cut=${whole.cut} />`}
    <div class="buttons">
      ${whole.cut && html`<button onClick=${() => attempt(async () => setWhole(await call("GET", path)))}>Whole</button>`}
      <button onClick=${() => attempt(copy)}>Copy as …</button>
      <button onClick=${() => showReading(log, whole.offset)}>Read from here …</button>
      ${removal("Delete", `message ${message.offset}`, "Readers that have not come so far will not see it. Its offset stays empty.", path)}
    </div>`;
}

/** @param {Bytes} log @returns {import("../ui.js").Question} */
const writing = log => ({
  title: `Write to ${text(log)}`,
  yes: "Write",
  fields: [
    { name: "tag", label: "Tag" },
    { name: "entry", label: "Content", rows: 8 },
    { name: "delay", label: "Seconds until it is written (0: now)", type: "number", value: 0 },
  ],
  act: async ({ tag, entry, delay }) => {
    const delay_ms = Math.round(Number(delay) * 1000);
    const done = await call("POST", `logs/${part(log)}/messages`, { tag, entry, ...(delay_ms > 0 && { delay_ms }) });
    return delay_ms > 0 ? "It waits for its date." : `Written as message ${done.offset}.`;
  },
});
