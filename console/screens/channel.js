// A channel: its subscribers, how far behind each is, and the messages.
import { call, useLive, usePages } from "../api.js";
import { number, part, text } from "../format.js";
import { change, chip, html, keyHead, removal, table } from "../ui.js";
/** @typedef {import("../format.js").Body} Body */

/** @param {{at: {names: import("../format.js").Bytes[]}}} props */
export function Channel({ at }) {
  const [key] = at.names;
  const path = `channels/${part(key)}`;
  const live = useLive(path);
  const subscribers = usePages(`${path}/subscribers`);
  const messages = usePages(`${path}/messages`);
  /** @param {Body} s */
  const behind = s => (live.body?.clock ?? s.clock) - s.clock;
  return html`${keyHead(
    "Channel",
    key,
    live,
    [
      ["Clock", "clock"],
      ["Messages", "messages"],
      ["Subscribers", "subscribers"],
      ["Ids", "ids"],
      ["Waiting", "waiting"],
      ["Expires after", "expire", "span"],
      ["Memory", "memory", "size"],
    ],
    change("Publish …", () => ({
      title: `Publish to ${text(key)}`,
      yes: "Publish",
      text: "A second message with the same id is not published.",
      fields: [
        { name: "id", label: "Id", value: Date.now().toString(36) },
        { name: "content", label: "Content", rows: 6 },
      ],
      act: async values => {
        const done = await call("POST", `${path}/messages`, values);
        return done?.clock ? `Published as ${done.clock}.` : "A message with this id is there already.";
      },
    })),
  )}
    <h2>Subscribers</h2>${table({
      label: "Subscribers",
      of: subscribers,
      id: "name",
      empty: "Nobody has subscribed.",
      mark: s => (behind(s) > 100 ? "look" : ""),
      columns: [
        ["Subscriber", "name", "name wide"],
        ["Behind", s => (behind(s) ? number(behind(s)) : chip("up to date", "good")), "num"],
        ["Has acknowledged", "clock", "number"],
        ["Expires in", "ttl", "span"],
        [
          "",
          s =>
            removal(
              "Remove",
              `the subscriber ${text(s.name)}`,
              "Messages that it has not acknowledged are not delivered to it any more.",
              `${path}/subscribers/${part(s.name)}`,
            ),
          "bare",
        ],
      ],
    })}
    <h2>Messages, the oldest first</h2>${table({
      label: "Messages",
      of: messages,
      id: "position",
      content: "content",
      empty: "No messages, or they have expired.",
      columns: [
        ["Clock", m => number(text(m.position).split(".")[0]), "num"],
        ["Id", "id", "name"],
      ],
    })}`;
}
