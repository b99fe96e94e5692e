// Messages that were given up: why, after how many attempts, and from where. They can be sent back.
import { call, usePages } from "../api.js";
import { number, part, text } from "../format.js";
import { change, html, link, name, table } from "../ui.js";
/** @typedef {import("../format.js").Body} Body */

/** The text for each reason that does not come from the worker. @type {Record<string, string>} */
const WHY = { attempts: "out of attempts", expired: "out of time", dead: "given up" };

/** @param {{log: import("../format.js").Bytes, info: Body | null}} props */
export function Dead({ log, info }) {
  const path = `logs/${part(log)}`;
  const pages = usePages(`${path}/dead`);
  /** @param {Body} body */
  const send = body => async () => {
    const done = await call("POST", `${path}/redrive`, body);
    return `Sent back ${number(done.sent)}${done.left ? `, ${number(done.left)} left` : ""}.`;
  };
  const sources = (info?.dead_of ?? [])
    .map((/** @type {Body} */ one) => `${text(one.key)} (${text(one.group)})`)
    .join(", ");
  return html`<div class="tools"><span class="muted">${sources ? `Dead letters of ${sources}` : "What groups gave up, and wrote here"}</span><span class="gap"></span>
      ${change(
        "Send all back …",
        {
          title: "Send all back?",
          yes: "Send all back",
          act: send({ all: true }),
          text: `All dead letters of ${text(log)} go to the logs they came from, and are delivered anew. Mend the cause first, or they come back.`,
        },
        { disabled: !pages.items?.length },
      )}</div>
    ${table({
      label: "Dead letters",
      of: pages,
      id: "offset",
      content: "entry",
      empty: "No dead letters.",
      columns: [
        ["Given up", "time", "date"],
        ["Reason", m => html`<b>${m.reason === m.why ? (WHY[m.why] ?? text(m.why)) : text(m.reason)}</b>`],
        ["Attempts", "attempts", "number"],
        [
          "From",
          m =>
            m.origin
              ? html`${link("log", m.origin, `/groups/${part(m.group ?? "")}`)} <span class="muted">${text(m.group)}, ${number(m.origin_offset)}</span>`
              : "written here",
        ],
        ["Tag", "tag", "name"],
        [
          "",
          m =>
            m.origin &&
            change(
              "Send back",
              {
                title: "Send this message back?",
                yes: "Send back",
                text: html`It goes to ${name(m.origin)} and is delivered anew.`,
                act: send({ offsets: [m.offset] }),
              },
              { aria: `Send back ${m.offset}` },
            ),
          "bare",
        ],
      ],
    })}`;
}
