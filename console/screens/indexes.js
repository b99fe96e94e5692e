// An index: its fields, the documents that it leaves out and why, a query to try, a check and a repair.
import { useState } from "preact/hooks";
import { call, useLive } from "../api.js";
import { number, part, text } from "../format.js";
import { attempt, change, chip, html, keyHead, name, table } from "../ui.js";
/** @typedef {import("../format.js").Body} Body */

/** @param {{at: {names: import("../format.js").Bytes[]}}} props */
export function Index({ at }) {
  const [key] = at.names;
  const path = `indexes/${part(key)}`;
  const live = useLive(path);
  const index = live.body;
  const conflicts = useLive(`${path}/conflicts`),
    skipped = useLive(`${path}/skipped`);
  /** @param {string} label @param {boolean} repair @param {string} said */
  const check = (label, repair, said) =>
    change(`${label} …`, {
      title: `${label} ${text(key)}?`,
      yes: label,
      text: `Compares the index with its documents, in small slices${said}.`,
      danger: repair,
      act: async () => {
        /** @type {Body} */
        let found = { state: "running" };
        for (let i = 0; i < 1000 && found.state === "running"; ++i) {
          if (i) await new Promise(done => setTimeout(done, 50));
          found = await call("POST", `${path}/check`, { repair });
        }
        return `${found.state}: ${["checked", "missing", "stale", "wrong", "repaired"].map(word => `${word} ${number(found[word])}`).join(", ")}`;
      },
    });
  return html`${keyHead(
    "Index",
    key,
    live,
    [
      ["Documents", "documents"],
      ["State", index && chip(index.state, index.state === "ready" ? "good" : "look")],
      ["Conflicts", "conflicts", "number", index?.conflicts && "look"],
      ["Skipped", "skipped", "number", index?.skipped && "look"],
      ["Memory", "bytes", "size"],
      ["Documents are", "documents-are", "text"],
      ["Prefix", "prefix", "name"],
    ],
    [check("Check", false, ", and changes nothing"), check("Repair", true, ", and mends what differs")],
  )}
    <h2>Fields</h2>${table({
      label: "Fields",
      of: index?.fields,
      id: "name",
      columns: [
        ["Field", "name", "name wide"],
        ["Type", "type"],
        [
          "Is",
          f =>
            [isSet(f.unique) && "unique", isSet(f.nocase) && "any case", f.separator && `many, by ${text(f.separator)}`]
              .filter(Boolean)
              .join(", ") || "–",
        ],
        ["Entries", "entries", "number"],
        ["Memory", "bytes", "size"],
      ],
    })}
    ${
      index?.orders?.length > 0 &&
      html`<h2>Orders</h2>${table({
        label: "Orders",
        of: index?.orders,
        id: "name",
        columns: [
          ["Order", "name", "name"],
          ["Fields", o => o.fields.map(text).join(", "), "wide"],
          ["Entries", "entries", "number"],
          ["Memory", "bytes", "size"],
        ],
      })}`
    }
    <${Find} path=${path} index=${index} />
    <h2>Conflicts: left out of a unique field</h2>${table({
      label: "Conflicts",
      of: { items: conflicts.body?.items ?? null, error: conflicts.error },
      id: c => text(c.key) + text(c.field) + text(c.value),
      empty: "None.",
      columns: [
        ["Document", "key", "name wide"],
        ["Field", "field"],
        ["Value", "value", "name key"],
        ["Held by", "holder", "name key"],
      ],
    })}<h2>Skipped: values that do not fit</h2>${table({
      label: "Skipped",
      of: { items: skipped.body?.items ?? null, error: skipped.error },
      id: s => text(s.key) + text(s.field),
      empty: "None.",
      columns: [
        ["Document", "key", "name wide"],
        ["Field", "field"],
        ["Reason", "reason", "text key"],
      ],
    })}`;
}

/** @param {any} value */
const isSet = value => value && value !== "no";

/** @param {{path: string, index: Body | null}} props */
function Find({ path, index }) {
  const [found, setFound] = useState(/** @type {{items: any[], words: string[]} | null} */ (null));
  /** @type {string[]} */
  const fields = (index?.fields ?? []).map((/** @type {Body} */ field) => text(field.name));
  const orders = [...fields, ...(index?.orders ?? []).map((/** @type {Body} */ order) => text(order.name))];
  /** @param {any} event */
  const submit = event => {
    event.preventDefault();
    const given = Object.fromEntries(Array.from(new FormData(event.target), ([word, value]) => [word, String(value)]));
    const words = [
      ...(given.value ? ["WHERE", given.field, given.relation, given.value] : []),
      ...(given.order ? ["ORDER", given.order] : []),
      ...(given.rev ? ["REV"] : []),
      "GET",
      String(fields.length),
      ...fields,
    ];
    attempt(async () => setFound({ items: (await call("POST", `${path}/find`, { words, count: 50 })).items, words }));
  };
  /** @param {string} label @param {string[]} of @param {string} [first] */
  const choice = (label, of, first) =>
    html`<select name=${label.toLowerCase()} aria-label=${label}>${first && html`<option value="">${first}</option>`}${of.map(one => html`<option>${one}</option>`)}</select>`;
  return html`<h2>Try a find</h2><form class="tools" onSubmit=${submit}>
      ${choice("Field", fields)}${choice("Relation", ["=", "<", "<=", ">", ">=", "PREFIX"])}<input name="value" aria-label="Value" placeholder="Value (empty: all)" autocomplete="off" />
      ${choice("Order", orders, "in any order")}<label><input type="checkbox" name="rev" value="1" /> backwards</label><button class="main" type="submit">Find</button></form>
    ${
      found &&
      html`<p class="note mono">IDX.FIND ${found.words.join(" ")}</p>${table({
        label: "Found",
        of: found.items,
        id: row => text(row[0]),
        empty: "Nothing found.",
        columns: [
          ["Document", row => name(row[0])],
          ...fields.map((field, i) => /** @type {import("../ui.js").Column} */ ([field, row => name(row[1]?.[i])])),
        ],
      })}`
    }`;
}
