// The gateway's API below /v1/admin: single calls, and one stream of changes.
import { useEffect, useState } from "preact/hooks";
/** @typedef {import("./format.js").Body} Body */

const base = new URL("../v1/admin/", location.href);
const ROOT = "/v1/admin/";
const TOKEN = "millrace-token";

/** A value that changes and that components show. @template T @param {T} value */
export function store(value) {
  /** @type {Set<(value: T) => void>} */
  const listeners = new Set();
  return {
    get: () => value,
    /** @param {T} next */
    set(next) {
      value = next;
      for (const listener of listeners) listener(next);
    },
    use() {
      const [seen, see] = useState(value);
      useEffect(() => {
        see(value);
        listeners.add(see);
        return () => {
          listeners.delete(see);
        };
      }, []);
      return seen;
    },
  };
}

/** The user, as /me describes it; null until it has answered. */
export const me = store(/** @type {Body | null} */ (null));
/** Whether the gateway requires a token that the page does not have. */
export const refused = store("");
/** Whether changes arrive; if they do not, since when. */
export const connection = store({ live: false, since: 0, tries: 0 });

/** Whether the gateway has a newer version of this page. */
export const outdated = store(false);

export const mayWrite = () => !!me.get()?.may?.includes("write");

/** @param {string} token */
export function useToken(token) {
  sessionStorage.setItem(TOKEN, token);
  refused.set("");
  begin();
}

const headers = () => {
  const token = sessionStorage.getItem(TOKEN);
  /** @type {Record<string, string>} */
  const found = token ? { Authorization: `Bearer ${token}` } : {};
  return found;
};

/**
 * Calls the API. Throws an Error with the gateway's text.
 * @param {string} method @param {string} path below /v1/admin/ @param {any} [body]
 * @returns {Promise<Body>}
 */
export async function call(method, path, body) {
  const answer = await fetch(new URL(path, base), {
    method,
    headers: { ...headers(), ...(body ? { "Content-Type": "application/json" } : {}) },
    body: body && JSON.stringify(body),
  });
  const said = await answer.text();
  /** @type {any} */
  let value = null;
  try {
    value = said ? JSON.parse(said) : null;
  } catch {
    value = { error: said };
  }
  if (answer.ok) return value;
  if (answer.status === 401) refused.set(value?.error || "a token is needed");
  throw new Error(value?.error || `the gateway answered ${answer.status}`);
}

// --- the stream ---

/** @type {Map<string, Set<(state: Body) => void>>} */
const watched = new Map();
/** @type {Map<string, Body>} */
const known = new Map();
/** @type {AbortController | null} */
let stream = null;
let timer = 0;

// A browser has only six connections to a host, for all tabs together. So each visible tab uses one, and a hidden one
// none.
function reopen(wait = 0) {
  clearTimeout(timer);
  timer = setTimeout(() => {
    stream?.abort();
    stream = null;
    if (watched.size && !document.hidden && !refused.get()) follow();
  }, wait);
}

async function follow() {
  const mine = (stream = new AbortController());
  const paths = Array.from(watched.keys(), path => `path=${encodeURIComponent(ROOT + path)}`);
  try {
    const answer = await fetch(new URL(`live?${paths.join("&")}`, base), { headers: headers(), signal: mine.signal });
    if (answer.status === 401 || answer.status === 403) {
      refused.set((await answer.json()).error || "a token is needed");
      return;
    }
    if (!answer.ok || !answer.body) throw new Error(String(answer.status));
    if (!me.get() || connection.get().tries) greet();
    connection.set({ live: true, since: 0, tries: 0 });
    await readEvents(answer.body.pipeThrough(new TextDecoderStream()).getReader());
  } catch {
    // It is tried again after any error.
  }
  if (stream !== mine) return;
  const { since, tries } = connection.get();
  connection.set({ live: false, since: since || Date.now(), tries: tries + 1 });
  reopen(Math.min(5000, 250 * 2 ** tries));
}

/** @param {ReadableStreamDefaultReader<string>} reader */
async function readEvents(reader) {
  let rest = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const events = (rest + value).split("\n\n");
    rest = events.pop() ?? "";
    for (const event of events) {
      const data = event
        .split("\n")
        .filter(line => line.startsWith("data:"))
        .map(line => line.slice(5))
        .join("\n");
      if (data && /^event: ?state$/m.test(event)) tell(JSON.parse(data));
    }
  }
}

/** @param {Body} state */
function tell(state) {
  const path = state.path.slice(ROOT.length);
  known.set(path, { ...state, path });
  for (const listener of watched.get(path) ?? []) listener({ ...state, path });
}

function greet() {
  call("GET", "me").then(me.set, () => {});
  compare().catch(() => {});
}

let loaded = "";
// A gateway that was down may have come back in a newer version.
async function compare() {
  const { headers: given } = await fetch("main.js", { method: "HEAD", cache: "no-store" });
  const etag = given.get("etag") ?? "";
  outdated.set(!!loaded && etag !== loaded);
  loaded ||= etag;
}

/** Connects, or reconnects with another token. */
export function begin() {
  greet();
  reopen();
}
document.addEventListener("visibilitychange", () => reopen(document.hidden ? 20_000 : 0));

/**
 * The answer of a path, now and whenever it changes.
 * @param {string | null} path
 * @returns {{body: Body | null, error: string}}
 */
export function useLive(path) {
  const [state, see] = useState(/** @type {Body | null} */ (null));
  useEffect(() => {
    if (!path) return see(null);
    see(known.get(path) ?? null);
    const listeners = watched.get(path) ?? new Set();
    if (!watched.has(path)) {
      watched.set(path, listeners);
      reopen(10);
    }
    listeners.add(see);
    return () => {
      listeners.delete(see);
      if (listeners.size) return;
      watched.delete(path);
      known.delete(path);
      reopen(10);
    };
  }, [path]);
  const is_mine = state && state.path === path;
  if (!is_mine) return { body: null, error: "" };
  return state.status < 400
    ? { body: state.body, error: "" }
    : { body: null, error: state.body?.error || String(state.status) };
}

/**
 * A list that grows page by page on demand; its first page is live.
 * @param {string | null} path without cursor
 */
export function usePages(path) {
  const first = useLive(path);
  const [more, setMore] = useState({ path, items: /** @type {Body[]} */ ([]), cursor: /** @type {any} */ (null) });
  const rest = more.path === path ? more : { path, items: [], cursor: null };
  const cursor = rest.cursor ?? (rest.items.length ? null : first.body?.cursor);
  return {
    error: first.error,
    body: first.body,
    items: first.body && /** @type {Body[]} */ ([...first.body.items, ...rest.items]),
    more:
      cursor &&
      (async () => {
        const next = await call("GET", `${path}${path?.includes("?") ? "&" : "?"}cursor=${encodeURIComponent(cursor)}`);
        setMore({ path, items: [...rest.items, ...next.items], cursor: next.cursor ?? null });
      }),
  };
}
