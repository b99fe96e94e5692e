// A routing table: devices, their subscriptions, and dispatching changes to them.

import { randomUUID } from "node:crypto";

import { json } from "./codecs.js";
import { Device, targetWords, type DeviceOptions, type Target } from "./device.js";
import type { Link } from "./link.js";
import { list, text, type Words } from "./replies.js";
import { Worker, type WorkerOptions } from "./worker.js";

export interface DispatchOptions {
  document?: unknown;
  old?: unknown;
  data?: unknown;
  origin?: string | undefined;
  /** An id of your own: the change is dispatched once, whichever process sends it. */
  unique?: string | undefined;
}

export interface Dispatched {
  readonly devices: number;
  /** The offset in the transport's log; undefined if no device was concerned. */
  readonly offset: number | undefined;
}

/** A message of a transport's log. */
export interface Dispatch {
  readonly devices: { readonly device: string; readonly change?: unknown }[];
  readonly [member: string]: unknown;
}

export type Push = (device: string, change: unknown, message: Dispatch) => unknown;

export class Routes {
  constructor(
    private readonly link: Link,
    readonly table: string,
  ) {}

  device(id: string, transport: string, options: DeviceOptions = {}): Device {
    return new Device(this.link, this.table, `${id}|${transport}`, options);
  }

  /** Writes a change to the log of each transport, once, even if it is sent several times. `queues` names the log of
   *  each transport, or is the common prefix of their names. */
  async dispatch(
    target: Target,
    event: string,
    queues: Record<string, string> | string,
    options: DispatchOptions = {},
  ): Promise<Map<string, Dispatched>> {
    const words: Words = ["ROUTE.DISPATCH", this.table, ...targetWords(target)];
    if (options.document !== undefined) words.push("DOC", JSON.stringify(options.document));
    if (options.old !== undefined) words.push("OLD", JSON.stringify(options.old));
    words.push("EVENT", event, "ID", options.unique ?? randomUUID());
    if (options.origin !== undefined) words.push("ORIGIN", options.origin);
    if (options.data !== undefined) words.push("DATA", JSON.stringify(options.data));
    words.push("QUEUES", ...(typeof queues === "string" ? ["*", queues] : Object.entries(queues).flat()));
    const rows = list(await this.link.persist(this.table, words)).map(list);
    return new Map(
      rows.map(([transport, devices, offset]) => [
        text(transport),
        { devices: Number(devices), offset: offset === null ? undefined : Number(offset) },
      ]),
    );
  }

  /** The devices that would get the change, by transport. */
  async match(target: Target, document?: unknown): Promise<Map<string, string[]>> {
    const words: Words = ["ROUTE.MATCH", this.table, ...targetWords(target)];
    if (document !== undefined) words.push("DOC", JSON.stringify(document));
    const rows = list(await this.link.persist(this.table, words)).map(list);
    return new Map(rows.map(([transport, devices]) => [text(transport), list(devices).map(text)]));
  }

  /** A worker of a transport's log. push(device, change, message) is called for each device of a message. If it returns
   *  false, the device is deleted; if it throws, the message comes again. */
  pusher(log: string, transport: string, push: Push, options: WorkerOptions & { group?: string } = {}): Worker<Dispatch> {
    const worker = new Worker(this.link, log, options.group ?? "pushers", json<Dispatch>(), options);
    return worker.on(async (message) => {
      for (const { device, change } of message.devices) {
        if ((await push(device, change, message)) === false) {
          await this.link.persist(this.table, ["ROUTE.DEVICE", "DEL", this.table, `${device}|${transport}`]);
        }
      }
    });
  }
}
