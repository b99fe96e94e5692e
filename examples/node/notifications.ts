// Live notifications: what happens in a room appears on every screen, also on one that was offline for a while.
//
//     notifications URL show ROOM SCREEN     prints messages as they come, until Ctrl-C
//     notifications URL say ROOM TEXT…

import { Millrace, text } from "millrace";
import { createClient } from "redis";

const [url = "", job, room, ...words] = process.argv.slice(2);
const mr = new Millrace(createClient({ url }));
const channel = mr.channel(`room:${room}`, { codec: text });

if (job === "say") {
  await channel.publish(words.join(" "));
} else {
  // The subscription begins now: a real screen loads what it shows from the database here.
  const messages = channel.subscribe(words[0] ?? "", { onGap: () => console.log("loaded the room") });
  for (const signal of ["SIGTERM", "SIGINT"] as const) process.once(signal, () => messages.stop());
  for await (const message of messages) console.log(message.content); // acknowledged when the next is asked for
  await messages.ack();
}
mr.close();
