// Parts that every screen is made of. Values from the server are text, and never parsed as markup.
import { h } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { call, mayWrite, me, store } from "./api.js";
import { date, label, number, part, rate, size, span, text } from "./format.js";
import { Brief, Value } from "./value.js";
import { html } from "./html.js";
/** @typedef {import("./format.js").Body} Body */
/** @typedef {import("preact").ComponentChildren} Children */

export { html };

// --- messages and dialogs ---

export const notice = store({ text: "", bad: false, at: 0 });

/** @param {string} said @param {boolean} [bad] */
export function say(said, bad = false) {
  const at = Date.now();
  notice.set({ text: said, bad, at });
  setTimeout(
    () => {
      if (notice.get().at === at) notice.set({ text: "", bad: false, at: 0 });
    },
    bad ? 12000 : 5000,
  );
}

/** Runs something that the user has asked for, and shows the result. @param {() => Promise<any>} work */
export async function attempt(work) {
  try {
    const said = await work();
    if (typeof said === "string") say(said);
  } catch (error) {
    say(error instanceof Error ? error.message : String(error), true);
  }
}

/**
 * @typedef {object} Question
 * @property {string} title
 * @property {Children} [text] what will happen
 * @property {string} yes the text of the button that confirms
 * @property {boolean} [danger]
 * @property {string} [typed] a name that must be typed first, for actions that cannot be undone
 * @property {{name: string, label: string, value?: any, rows?: number, type?: string, options?: string[][]}[]} [fields]
 * @property {(values: Record<string, string>) => Promise<any>} [act] the action; the text that it returns is shown at
 * the end
 */
export const question = store(/** @type {Question | null} */ (null));

/** The open question, in a dialog that keeps the keyboard focus. */
export function Asking() {
  const asked = question.use();
  const dialog = useRef(/** @type {HTMLDialogElement | null} */ (null));
  const [state, setState] = useState({ typed: "", error: "", busy: false });
  useEffect(() => {
    setState({ typed: "", error: "", busy: false });
    if (asked) dialog.current?.showModal();
  }, [asked]);
  if (!asked) return null;
  const close = () => question.set(null);
  /** @param {SubmitEvent} event */
  const submit = async event => {
    event.preventDefault();
    if (!asked.act) return close();
    const form = new FormData(/** @type {HTMLFormElement} */ (event.currentTarget));
    setState({ ...state, busy: true, error: "" });
    try {
      const said = await asked.act(Object.fromEntries(Array.from(form, ([name, value]) => [name, String(value)])));
      close();
      if (typeof said === "string") say(said);
    } catch (error) {
      setState({ ...state, busy: false, error: error instanceof Error ? error.message : String(error) });
    }
  };
  return html`<dialog ref=${dialog} onClose=${close} aria-labelledby="asked" class=${asked.act ? "" : "wide"}>
    <form onSubmit=${submit}>
      <h2 id="asked">${asked.title}</h2>
      ${asked.text && html`<div class="told">${asked.text}</div>`}
      ${asked.fields?.map(
        field => html`<label class="field" key=${field.name}><span>${field.label}</span>
        ${
          field.options
            ? html`<select name=${field.name}>${field.options.map(
                ([value, label]) => html`<option value=${value} selected=${value === field.value}>${label}</option>`,
              )}</select>`
            : field.rows
              ? html`<textarea name=${field.name} rows=${field.rows} spellcheck=${false}>${field.value ?? ""}</textarea>`
              : html`<input name=${field.name} type=${field.type ?? "text"} defaultValue=${field.value ?? ""} autocomplete="off" />`
        }
      </label>`,
      )}
      ${
        asked.typed &&
        html`<label class="field"><span>Type <b class="mono">${asked.typed}</b> to go on</span>
        <input value=${state.typed} autocomplete="off" spellcheck=${false}
          onInput=${(/** @type {any} */ e) => setState({ ...state, typed: e.target.value })} /></label>`
      }
      <p class="bad" role="alert">${state.error}</p>
      <div class="buttons">
        <button type="button" onClick=${close}>${asked.act ? "Cancel" : "Close"}</button>
        ${
          asked.act &&
          html`<button type="submit" class=${asked.danger ? "danger" : "main"}
          disabled=${state.busy || (!!asked.typed && state.typed !== asked.typed)}>${asked.yes}</button>`
        }
      </div>
    </form>
  </dialog>`;
}

/**
 * A button for a change, which opens its question; a reader does not see it.
 * @param {Children} label @param {Question | (() => Question)} ask
 * @param {{aria?: string, disabled?: boolean, danger?: boolean}} [more]
 */
export const change = (label, ask, more) => h(Change, { label, ask, ...more });
/** @param {{label: Children, ask: Question | (() => Question), aria?: string, disabled?: boolean, danger?: boolean}} props */
function Change({ label, ask, aria, disabled, danger }) {
  me.use();
  if (!mayWrite()) return null;
  return html`<button class="quiet ${danger ? "danger" : ""}" aria-label=${aria} disabled=${disabled}
    onClick=${() => question.set(typeof ask === "function" ? ask() : ask)}>${label}</button>`;
}

/**
 * A button that removes something permanently.
 * @param {string} label @param {string} what "the worker w1" @param {Children} then the consequence @param {string}
 * path @param {{typed?: string, to?: string}} [more] a name to be typed; where to go afterwards
 */
export const removal = (label, what, then, path, more) =>
  change(
    label + " …",
    {
      title: `${label} ${what}?`,
      danger: true,
      yes: label,
      text: then,
      typed: more?.typed,
      act: async () => {
        await call("DELETE", path);
        if (more?.to !== undefined) location.hash = more.to;
        return `${label}: done.`;
      },
    },
    { danger: true, aria: `${label} ${what}` },
  );

// --- lists ---

/** A name of the server. @param {{of: any}} props */
export const Name = ({ of }) => html`<span class="mono name">${label(of)}</span>`;
/** @param {any} of */
export const name = of => h(Name, { of });
/** @param {Children} said @param {string} [tone] good, look or act */
export const chip = (said, tone = "") => html`<span class="chip ${tone}">${said}</span>`;
/** @param {Children} said */
export const muted = said => html`<span class="muted">${said}</span>`;
/** A button that looks like a link. @param {Children} said @param {() => void} does */
export const pressed = (said, does) => html`<button class="link" onClick=${does}>${said}</button>`;
/** @param {string} to a screen @param {any} of a name @param {string} [tail] */
export const link = (to, of, tail = "") => html`<a href=${`#/${to}/${part(of)}${tail}`}>${name(of)}</a>`;

/** @type {Record<string, (value: any) => Children>} */
const formats = { number, size, span, date, name, rate, text };
/** @typedef {[title: Children, what: string | ((row: any, index: number) => Children), kind?: string]} Column
 * kind: one of the formats; "num" is aligned to the right, "wide" takes the remaining width, "bare" is for buttons */
/** @typedef {{items: Body[] | null, more?: any, error?: string}} Pages */

/**
 * A table. `content` is the field that a row shows in one line, and completely when the row is open; `inside` is shown
 * below it. @param {{label: string, of: Pages | Body[] | null | undefined, id: string | ((row: any) => any), columns:
 * (Column | false)[], empty?: Children,
 *   mark?: (row: any) => string, content?: string, inside?: (row: any) => Children}} props
 */
export const table = props => h(Table, props);
/** @param {Parameters<typeof table>[0]} props */
function Table({ label, of, id, columns, empty = "Nothing here.", mark, content, inside }) {
  const [open, setOpen] = useState("");
  const { items, more, error } = Array.isArray(of) || !of ? { items: of, more: null, error: "" } : of;
  /** @param {any} row */
  const key = row => text(typeof id === "string" ? row[id] : id(row));
  /** @type {any[]} */
  const shown = columns.filter(Boolean);
  if (content) {
    const end = shown.at(-1)?.[2] === "bare" ? -1 : shown.length; // buttons come last
    shown.splice(
      end,
      0,
      [
        "Content",
        (/** @type {any} */ row) =>
          key(row) === open
            ? html`<${Value} of=${row[content]} bytes=${row.bytes} cut=${row.cut} />${inside?.(row)}`
            : html`<${Brief} of=${row[content]} />`,
        "wide",
      ],
      [
        "",
        (
          /** @type {any} */ row,
        ) => html`<button class="quiet" aria-expanded=${key(row) === open} aria-label=${`${key(row) === open ? "Close" : "Open"} ${key(row)}`}
      onClick=${() => setOpen(key(row) === open ? "" : key(row))}>${key(row) === open ? "Close" : "Open"}</button>`,
        "bare",
      ],
    );
  }
  /** @param {string} [kind] */
  const side = (kind = "") => kind + (/number|size|span|rate/.test(kind) ? " num" : "");
  return html`<div class="table"><table aria-label=${label}>
      <thead><tr>${shown.map(([title, , kind]) => html`<th scope="col" class=${side(kind)}>${title || html`<span class="hidden">Actions</span>`}</th>`)}</tr></thead>
      <tbody>${items?.map(
        (row, index) =>
          html`<tr key=${key(row)} class=${content && key(row) === open ? "open" : mark?.(row)}>${shown.map(
            ([title, what, kind]) =>
              html`<td class=${side(kind)} data-title=${typeof title === "string" && title ? title : null}>${
                typeof what === "function" ? what(row, index) : (formats[kind?.split(" ")[0]] ?? text)(row[what])
              }</td>`,
          )}</tr>`,
      )}</tbody>
    </table>
    ${error ? problem(error) : !items ? html`<p class="empty">Loading …</p>` : !items.length && html`<p class="empty">${empty}</p>`}
    ${more && html`<p class="empty"><button onClick=${() => attempt(more)}>Show more</button></p>`}
  </div>`;
}

/** @param {string | undefined} said */
export const problem = said => said && html`<p class="problem" role="alert">${said}</p>`;

/** @typedef {[title: string, what: string | null | Children[] | import("preact").VNode<any>, kind?: string, tone?: any]} Figure
 * what: a field, shown in the format `kind` (number by default), or what to show; tone: look or act */
/** Figures in a row. @param {Body | null} of @param {Figure[]} rows */
export const figures = (of, rows) =>
  html`<dl class="figures">${rows.map(
    ([title, what, kind = "number", tone]) =>
      html`<div class=${tone || ""}><dt>${title}</dt><dd>${typeof what === "string" ? formats[kind](of?.[what]) : (what ?? "–")}</dd></div>`,
  )}</dl>`;

/** The head of a screen. @param {string} kind @param {any} [of] its name @param {Children} [buttons] */
export const head = (kind, of, buttons) => h(Head, { kind, of, buttons });
/** @param {{kind: string, of: any, buttons: Children}} props */
function Head({ kind, of, buttons }) {
  useEffect(() => {
    document.title = `${of === undefined ? kind : label(of)} – Millrace`;
  }, [kind, of]);
  return html`<header class="head"><h1>${of === undefined ? kind : html`<span class="kind">${kind}</span> ${name(of)}`}</h1>
    <div class="buttons">${buttons}</div></header>`;
}

/** The head of a key's screen. @param {string} kind @param {any} key @param {{body: Body | null, error: string}} live @param {Figure[]} rows @param {Children} [buttons] */
export const keyHead = (kind, key, { body, error }, rows, buttons) => [
  head(kind, key, [
    buttons,
    removal(
      "Delete",
      label(key),
      "Everything in it is gone, for everybody who uses it. This cannot be undone.",
      `keys/${part(key)}`,
      { typed: label(key), to: "#/keys" },
    ),
  ]),
  problem(error),
  figures(body, rows),
];

/** @param {string} label @param {string} base @param {string} now @param {[string, Children][]} of the first tab is at
 *  the base itself */
export const tabs = (label, base, now, of) =>
  html`<nav class="tabs" aria-label=${label}>${of.map(
    ([tab, said], i) =>
      html`<a href=${i ? `${base}/${tab}` : base} aria-current=${tab === now ? "page" : null}>${said}</a>`,
  )}</nav>`;

/** Text to be copied. @param {string} label @param {string} said */
export const copied = (label, said) => html`<div class="copy"><div class="buttons"><b>${label}</b>
  <button type="button" class="quiet" onClick=${() =>
    navigator.clipboard.writeText(said).then(
      () => say("Copied."),
      () => say("The browser does not allow it: select the text.", true),
    )} aria-label=${`Copy ${label}`}>Copy</button></div>
  <pre tabindex="0" aria-label=${label}>${said}</pre></div>`;

/** An input that calls onValue a moment after the last key. @param {string} label @param {(value: string) => void}
 *  onValue @param {{value?: string, id?: string, key?: string}} [more] */
export const input = (label, onValue, more) => h(Input, { label, onValue, ...more });
/** @param {{label: string, value?: string, onValue: (value: string) => void, id?: string}} props */
function Input({ label, value = "", onValue, id }) {
  const timer = useRef(0);
  return html`<label class="inline"><span class="hidden">${label}</span><input id=${id} type="search" placeholder=${label}
    defaultValue=${value} autocomplete="off" spellcheck=${false} onInput=${(/** @type {any} */ e) => {
      clearTimeout(timer.current);
      const given = e.target.value.trim();
      timer.current = setTimeout(() => onValue(given), 250);
    }} /></label>`;
}
