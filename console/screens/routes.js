// A routing table: devices, their subscriptions, and which devices would get a change.
import { useState } from "preact/hooks";
import { call, useLive, usePages } from "../api.js";
import { date, number, part, span, text } from "../format.js";
import { attempt, chip, html, input, keyHead, name, removal, table, tabs, pressed } from "../ui.js";
/** @typedef {import("../format.js").Body} Body */
/** @typedef {import("../format.js").Bytes} Bytes */

/** @type {Record<string, any>} */
const TABS = { who: Who, devices: Devices, filters: Filters, channels: Channels };

/** @param {{at: {names: Bytes[]}}} props */
export function RoutesScreen({ at }) {
  const [key, tab = "who"] = at.names;
  const path = `routes/${part(key)}`;
  const live = useLive(path);
  return html`${keyHead("Routes", key, live, [
    ["Devices", "devices"],
    ["Subscriptions", "subscriptions"],
    ["Filters", "filters"],
    ["Channels", "channels"],
    ["Changes matched", "matches"],
    ["Filter failures", "filter-failures", "number", live.body?.["filter-failures"] && "look"],
  ])}
    ${tabs("Of this table", `#/route/${part(key)}`, String(tab), [
      ["who", "Who would hear this?"],
      ["devices", "Devices"],
      ["filters", "Filters"],
      ["channels", "Channels"],
    ])}
    <${TABS[String(tab)] ?? Who} path=${path} info=${live.body} />`;
}

/** The parts of a channel's name: app:todo:user:ann:model:task:id:t1. @param {any} channel @returns {Record<string, string>} */
const parts = channel =>
  Object.fromEntries(
    Array.from(text(channel).matchAll(/(app|user|model|id):(.*?)(?=:(?:user|model|id):|$)/g), ([, word, value]) => [
      word,
      value,
    ]),
  );
/** The reason why a device gets a change: a channel and, if there is one, a filter. @param {any} channel @param {any}
 *  filter */
const because = (channel, filter) =>
  html`<div>${name(channel)} ${filter && html`<span class="muted">filter ${text(filter)}</span>`}</div>`;

/** @param {{path: string, info: Body | null}} props */
function Who({ path, info }) {
  const [found, setFound] = useState(/** @type {Body[] | null} */ (null));
  const usual = parts(info?.["top-channels"]?.[0]?.channel ?? "");
  /** @param {any} event */
  const submit = event => {
    event.preventDefault();
    const given = Object.fromEntries(Array.from(new FormData(event.target)).filter(([, value]) => value));
    attempt(async () => {
      const answer = await call("POST", `${path}/match`, given);
      setFound(
        answer.items.flatMap((/** @type {Body} */ one) =>
          one.devices.map((/** @type {any[]} */ device) => ({
            transport: one.transport,
            device: device[0],
            change: device.length > 2 ? device[1] : null,
            because: device.at(-1),
          })),
        ),
      );
    });
  };
  /** @param {string} label @param {boolean} [required] */
  const field = (
    label,
    required,
  ) => html`<label class="field"><span>${label}</span><input name=${label.toLowerCase()} required=${required} autocomplete="off"
    key=${label + usual.app} defaultValue=${required ? (usual[label.toLowerCase()] ?? "") : ""} /></label>`;
  return html`<p class="note">Paste a document to see which devices would be told of it, and why. Nothing is sent.</p>
    <div class="split"><form onSubmit=${submit}>
      <div class="quarter">${field("App", true)}${field("Model", true)}${field("User")}${field("Id")}</div>
      <label class="field"><span>Document after the change (JSON)</span><textarea name="document" rows="7" spellcheck=${false}></textarea></label>
      <label class="field"><span>Document before it, if you want to know who enters and leaves</span><textarea name="old" rows="3" spellcheck=${false}></textarea></label>
      <button class="main" type="submit">Who would hear this?</button>
    </form>
    <div aria-live="polite">${
      found &&
      html`<p class="verdict">${found.length ? `${number(found.length)} ${found.length === 1 ? "device" : "devices"} would hear of it.` : "Nobody would hear of it."}</p>
      ${table({
        label: "Devices that would hear",
        of: found,
        id: d => text(d.device) + text(d.transport),
        columns: [
          ["Device", d => html`${name(d.device)} <span class="muted">${text(d.transport)}</span>`],
          ["Change", d => (d.change ? chip(text(d.change)) : "–")],
          ["Because of", d => d.because?.map((/** @type {any[]} */ one) => because(one[0], one[1])), "wide"],
        ],
      })}`
    }</div></div>`;
}

/** @param {{path: string}} props */
function Devices({ path }) {
  const [user, setUser] = useState("");
  const [open, setOpen] = useState("");
  return html`<div class="tools">${input("Only of this user", setUser)}</div>${table({
    label: "Devices",
    of: usePages(`${path}/devices${user && `?user=${encodeURIComponent(user)}`}`),
    id: "device",
    empty: "No devices.",
    columns: [
      [
        "Device",
        d =>
          open === text(d.device)
            ? html`<${Device} path=${`${path}/devices/${part(d.device)}`} of=${d.device} />`
            : pressed(name(d.device), () => setOpen(text(d.device))),
        "wide",
      ],
      [
        "",
        d =>
          removal(
            "Remove",
            `the device ${text(d.device)}`,
            "All its subscriptions go with it. A device that is still there must subscribe anew.",
            `${path}/devices/${part(d.device)}`,
          ),
        "bare",
      ],
    ],
  })}`;
}

/** @param {{path: string, of: Bytes}} props */
function Device({ path, of }) {
  const { body, error } = useLive(path);
  return html`<b>${name(of)}</b> <span class="muted">${error || (body ? `user ${text(body.user)}, last seen ${date(body["last-seen"])}, expires in ${span(body.ttl)}` : "…")}</span>
    ${body?.["subscribed-to"]?.map((/** @type {Body} */ one) => because(one.channel, one.filter))}`;
}

/** @param {{path: string, info: Body | null}} props */
function Filters({ path, info }) {
  const [channel, setChannel] = useState("");
  const chosen = channel || text(info?.["top-channels"]?.[0]?.channel ?? "");
  const pages = usePages(chosen ? `${path}/filters?${new URLSearchParams(parts(chosen))}` : null);
  const failing = info?.["failing-filters"];
  return html`<div class="tools">${input("Channel: app:todo:model:task", setChannel, { value: chosen, key: chosen })}</div>
    ${table({ label: "Filters", of: chosen ? pages : [], id: "id", content: "filter", empty: "No filters in this channel.", columns: [["Filter", "id", "name"]] })}
    ${
      failing?.length > 0 &&
      html`<h2>Filters that could not be evaluated</h2>${table({
        label: "Failing filters",
        of: failing,
        id: f => text(f.channel) + text(f.filter) + text(f.field),
        columns: [
          ["Channel", "channel", "name wide"],
          ["Filter", f => name(f.filter ?? f.field)],
          ["Reason", "reason"],
          ["Failures", "failures", "number"],
          ["Last", "last-at", "date"],
        ],
      })}`
    }`;
}

/** @param {{info: Body | null}} props */
function Channels({ info }) {
  return html`<h2>With the most changes</h2>${table({
    label: "Channels",
    of: info?.["top-channels"],
    id: "channel",
    columns: [
      ["Channel", "channel", "name wide"],
      ["Changes", "changes", "number"],
      ["Subscriptions", "subscriptions", "number"],
    ],
  })}<h2>Transports</h2>${table({
    label: "Transports",
    of: info && Object.entries(info.transports ?? {}).map(([transport, of]) => ({ transport, ...of })),
    id: "transport",
    columns: [
      ["Transport", "transport", "name wide"],
      ["Devices", "devices", "number"],
      ["Found so far", "matched", "number"],
    ],
  })}`;
}
