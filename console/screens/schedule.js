// Messages of a log that wait for their date.
import { call, usePages } from "../api.js";
import { part, span, text } from "../format.js";
import { change, chip, table } from "../ui.js";
/** @typedef {import("../format.js").Body} Body */

/** @param {{log: import("../format.js").Bytes}} props */
export function Schedule({ log }) {
  const path = `logs/${part(log)}/schedule`;
  /** @param {string} label @param {string} what @param {string} title @param {string} said @param {Body} m */
  const order = (label, what, title, said, m) =>
    change(
      label,
      {
        title,
        yes: title.slice(0, -1),
        text: said,
        danger: what === "cancel",
        act: async () => {
          await call("POST", `${path}/${what}`, { ids: [m.id] });
          return `${label}: done.`;
        },
      },
      { aria: `${label} ${text(m.id)}`, danger: what === "cancel" },
    );
  return table({
    label: "Schedule",
    of: usePages(path),
    id: "id",
    empty: "Nothing waits for its date.",
    content: "entry",
    columns: [
      ["Due", "date", "date"],
      ["In", m => (m.date <= Date.now() ? chip("due", "look") : span(m.date - Date.now())), "num"],
      ["Tag", "tag", "name"],
      [
        "",
        m => [
          order("Now", "now", "Write it now?", "It does not wait for its date.", m),
          order("Cancel", "cancel", "Cancel the message?", "It will never be written.", m),
        ],
        "bare",
      ],
    ],
  });
}
