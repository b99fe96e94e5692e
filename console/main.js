// The frame around the screens: navigation, whether changes arrive, and what the user may do.
import { render } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { begin, connection, me, outdated, refused, useLive, useToken } from "./api.js";
import { date, number, unpart } from "./format.js";
import { Asking, chip, html, notice, question } from "./ui.js";
import { Overview } from "./screens/overview.js";
import { Keys, TYPES } from "./screens/keys.js";
import { LogScreen } from "./screens/log.js";
import { Channel } from "./screens/channel.js";
import { Pool } from "./screens/pool.js";
import { Lock, LockWaits } from "./screens/locks.js";
import { RoutesScreen } from "./screens/routes.js";
import { Index } from "./screens/indexes.js";
import { Facts, Suggest } from "./screens/small.js";
import { Gateways } from "./screens/gateways.js";
import { Audit } from "./screens/audit.js";
/** @typedef {import("./format.js").Body} Body */

/** @type {Record<string, any>} */
const screens = {
  "": Overview,
  keys: Keys,
  log: LogScreen,
  channel: Channel,
  pool: Pool,
  lock: Lock,
  "lock-waits": LockWaits,
  route: RoutesScreen,
  index: Index,
  fact: Facts,
  suggest: Suggest,
  gateways: Gateways,
  audit: Audit,
};

/** The place that the address names: #/log/orders/groups/billing?tags=new */
function place() {
  const [path, query] = location.hash.replace(/^#\/?/, "").split("?");
  const [screen, ...names] = path.split("/");
  return { screen, names: names.map(unpart), query: new URLSearchParams(query ?? "") };
}

/** @param {{at: ReturnType<typeof place>, overview: Body | null}} props */
function Menu({ at, overview }) {
  const keys = overview?.totals?.keys ?? {};
  const needs = overview?.needs ?? [];
  const urgent = needs.filter((/** @type {Body} */ need) => need.severity === "act").length;
  /** @param {string} to @param {any} label @param {any} [count] @param {boolean} [now] @param {string} [style] */
  const link = (to, label, count, now, style) => html`<a href=${"#/" + to} class=${style ?? ""}
    aria-current=${(now ?? at.screen === to) ? "page" : null}><span>${label}</span>${count}</a>`;
  /** @param {any} count */
  const many = count => count !== undefined && html`<span class="count">${number(count)}</span>`;
  return html`<nav class="menu" aria-label="Screens">
    ${link(
      "",
      "Overview",
      needs.length > 0 &&
        html`<span class="count ${urgent ? "act" : ""}"
      aria-label=${`${needs.length} need a person`}>${needs.length}</span>`,
    )}
    ${link("keys", "All keys", many(Object.values(keys).reduce((sum, n) => sum + n, 0) || undefined), at.screen === "keys" && !at.query.get("type"))}
    ${Object.entries(TYPES).map(([type, [, plural]]) =>
      link(
        `keys?type=${type}`,
        plural,
        many(keys[type]),
        at.screen === type || (at.screen === "keys" && at.query.get("type") === type),
        "sub",
      ),
    )}
    ${link("lock-waits", "Lock waits")}
    ${link("gateways", "Gateways")}
    ${link("audit", "Audit log")}
  </nav>`;
}

function State() {
  const { live, since } = connection.use();
  return html`<div role="status" class="state ${live || !since ? "" : "away"}">${
    live ? "live" : since ? `reconnecting, away since ${date(since)}` : "connecting"
  }</div>`;
}

function Notice() {
  const { text, bad } = notice.use();
  return html`<div class="notice ${bad ? "wrong" : ""}" role=${bad ? "alert" : "status"}>${text}</div>`;
}

/** @param {{why: string}} props */
function TokenForm({ why }) {
  return html`<form class="card token" onSubmit=${(/** @type {any} */ event) => {
    event.preventDefault();
    useToken(String(new FormData(event.target).get("token")).trim());
  }}>
    <h1>This gateway wants a token</h1>
    <p class="note">It says: ${why}. The token needs the right “read” on “admin”; “write” for changes. It is kept in this tab only.</p>
    <label class="field"><span>Token</span><input name="token" type="password" autocomplete="off" required /></label>
    <button class="main" type="submit">Enter</button>
  </form>`;
}

const KEYS = [
  ["/", "search the keys"],
  ["o", "overview"],
  ["k", "all keys"],
  ["l", "logs"],
  ["w", "lock waits"],
  ["g", "gateways"],
  ["a", "audit log"],
  ["?", "this list"],
];
/** @type {Record<string, string>} */
const jumps = { o: "", k: "keys", l: "keys?type=log", w: "lock-waits", g: "gateways", a: "audit" };

/** @param {KeyboardEvent} event */
function press(event) {
  const target = /** @type {HTMLElement} */ (event.target);
  if (event.ctrlKey || event.metaKey || event.altKey || target.closest("input, textarea, select, dialog")) return;
  if (event.key === "/") {
    event.preventDefault();
    const found = document.getElementById("search");
    if (found) found.focus();
    else location.hash = "#/keys?focus=1";
  } else if (event.key === "?") {
    question.set({
      title: "Keys",
      yes: "",
      text: html`<table aria-label="Keys"><tbody>${KEYS.map(
        ([key, does]) => html`<tr><td><kbd class="mono">${key}</kbd></td><td>${does}</td></tr>`,
      )}</tbody></table>`,
    });
  } else if (event.key in jumps) {
    location.hash = "#/" + jumps[event.key];
  }
}

function App() {
  const [at, go] = useState(place());
  const who = me.use();
  const why = refused.use();
  const { body: overview } = useLive("overview?history=0");
  const main = useRef(/** @type {HTMLElement | null} */ (null));
  useEffect(() => {
    const moved = () => {
      go(place());
      scrollTo(0, 0);
    };
    addEventListener("hashchange", moved);
    addEventListener("keydown", press);
    begin();
    return () => removeEventListener("hashchange", moved);
  }, []);
  const Screen = screens[at.screen];
  const server = who?.server;
  return html`
    <a class="skip" href="#main" onClick=${(/** @type {Event} */ e) => {
      e.preventDefault();
      main.current?.focus();
    }}>To the content</a>
    <div class="frame">
      <header class="bar">
        <a class="brand" href="#/"><img src="icon.svg" width="20" height="20" alt="" />Millrace</a>
        <div class="facts">${
          server &&
          html`<span>${who.gateway}</span><span>${who.version}</span>
          <span>server ${server.version}, ${server.mode}</span><span>${who.name}</span>`
        }</div>
        ${who && !who.may.includes("write") && chip("read only", "look")}
        ${outdated.use() && html`<button onClick=${() => location.reload()}>The gateway is newer: reload</button>`}
        <${State} />
      </header>
      <${Menu} at=${at} overview=${overview} />
      <main ref=${main} id="main" tabindex="-1">${
        why
          ? html`<${TokenForm} why=${why} />`
          : Screen
            ? html`<${Screen} key=${at.screen + "/" + JSON.stringify(at.names[0] ?? "")} at=${at} overview=${overview} />`
            : html`<h1>There is no such screen</h1><p class="note"><a href="#/">To the overview</a></p>`
      }</main>
    </div>
    <${Notice} /><${Asking} />`;
}

render(html`<${App} />`, /** @type {HTMLElement} */ (document.getElementById("page")));
