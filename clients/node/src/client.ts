// The object that a program makes once, from its own Redis or Valkey client.

import { Channel } from "./channel.js";
import { ClusterLink } from "./cluster.js";
import { raw, type Codec } from "./codecs.js";
import { MillraceError } from "./errors.js";
import { Index } from "./indexes.js";
import { Link } from "./link.js";
import { Lock, type LockOptions } from "./lock.js";
import type { Sentinels } from "./node_redis_source.js";
import { Pool } from "./pool.js";
import { Producer, type ProducerOptions } from "./producer.js";
import { Reader, type ReaderOptions } from "./reader.js";
import { Redlock, type RedlockOptions } from "./redlock.js";
import type { Words } from "./replies.js";
import { Routes } from "./routes.js";
import { SILENT, type Logger, type Observer } from "./settings.js";
import { sourceOf } from "./source.js";
import { Suggestions } from "./suggestions.js";
import { Worker, type WorkerOptions } from "./worker.js";

export interface MillraceOptions {
  answerTimeoutMs?: number | undefined;
  blockMs?: number | undefined;
  retryForMs?: number | undefined;
  /** With node-redis: the client is for one node of a cluster, and the whole cluster is to be used. */
  isClusterNode?: boolean | undefined;
  /** With node-redis: these Sentinels name the server, and the client says how to connect to it. */
  sentinels?: Sentinels | undefined;
  logger?: Logger | undefined;
  observer?: Observer | undefined;
}

type WithCodec<Options, T> = Options & { codec: Codec<T> };

/** Wraps a client of ioredis (one server, a cluster, or a Sentinel's master) or of node-redis (one server, a node of a
 *  cluster, or a server that Sentinels name). The package opens connections of its own, in the same way as that
 *  client. */
export class Millrace {
  private readonly link: Link;

  constructor(client: object, options: MillraceOptions = {}) {
    const settings = {
      answerTimeoutMs: options.answerTimeoutMs ?? 5000,
      blockMs: options.blockMs ?? 20_000,
      retryForMs: options.retryForMs ?? 60_000,
      logger: options.logger ?? SILENT,
      observer: options.observer ?? {},
    };
    const source = sourceOf(client, options.isClusterNode ?? false, options.sentinels);
    this.link = source.isCluster ? new ClusterLink(source, settings) : new Link(source, settings);
  }

  /** Closes the package's connections; the user's client stays open. */
  close(): void {
    this.link.close();
  }

  /** Sends dead letters back to the logs they came from, or to another log: all, or up to `count`. Returns how many. */
  async redrive(deadLetters: string, { to, count = Infinity }: { to?: string; count?: number } = {}): Promise<number> {
    let moved = 0;
    while (moved < count) {
      const words: Words = ["TREDRIVE", deadLetters, "COUNT", Math.min(1000, count - moved)];
      if (to !== undefined) words.push("TO", to);
      const nowMoved = Number(await this.link.persist(deadLetters, words));
      if (nowMoved === 0) break;
      moved += nowMoved;
    }
    return moved;
  }

  /** Sends any command once, to the server that has the key: for commands without a method here. */
  call(key: string, ...words: Words): Promise<unknown> {
    return this.link.call(key, words);
  }

  /** Writes to a log in batches; each message is stored once. */
  producer<T>(key: string, options: WithCodec<ProducerOptions, T>): Producer<T>;
  producer(key: string, options?: ProducerOptions): Producer<Buffer>;
  producer(key: string, options: ProducerOptions & { codec?: Codec<any> } = {}): Producer<any> {
    return new Producer(this.link, key, options.codec ?? raw, options);
  }

  /** Handles the messages of a group. */
  worker<T>(key: string, group: string, options: WithCodec<WorkerOptions, T>): Worker<T>;
  worker(key: string, group: string, options?: WorkerOptions): Worker<Buffer>;
  worker(key: string, group: string, options: WorkerOptions & { codec?: Codec<any> } = {}): Worker<any> {
    return new Worker(this.link, key, group, options.codec ?? raw, options);
  }

  /** Follows a log without a group. */
  reader<T>(key: string, options: WithCodec<ReaderOptions, T>): Reader<T>;
  reader(key: string, options?: ReaderOptions): Reader<Buffer>;
  reader(key: string, options: ReaderOptions & { codec?: Codec<any> } = {}): Reader<any> {
    return new Reader(this.link, key, options.codec ?? raw, options);
  }

  channel<T>(name: string, options: { codec: Codec<T> }): Channel<T>;
  channel(name: string): Channel<Buffer>;
  channel(name: string, options: { codec?: Codec<any> } = {}): Channel<any> {
    return new Channel(this.link, name, options.codec ?? raw);
  }

  lock(key: string, options: LockOptions = {}): Lock {
    return new Lock(this.link, key, options);
  }

  pool<T>(key: string, options: { codec: Codec<T> }): Pool<T>;
  pool(key: string): Pool<Buffer>;
  pool(key: string, options: { codec?: Codec<any> } = {}): Pool<any> {
    return new Pool(this.link, key, options.codec ?? raw);
  }

  routes(table: string): Routes {
    return new Routes(this.link, table);
  }

  index(name: string): Index {
    return new Index(this.link, name);
  }

  suggestions(name: string): Suggestions {
    return new Suggestions(this.link, name);
  }

  /** A lock over several independent servers. */
  static redlock(servers: Millrace[], key: string, options: RedlockOptions = {}): Redlock {
    const [first, ...others] = servers.map((server) => server.link);
    if (first === undefined) throw new MillraceError("a lock needs a server");
    return new Redlock([first, ...others], key, options);
  }
}
