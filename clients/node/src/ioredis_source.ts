// Connections by ioredis, 5 and later.

import type { Address, Connection, Source } from "./connection.js";
import { isAnswer } from "./errors.js";
import type { Words } from "./replies.js";

type Options = Record<string, unknown>;

/** What we use of a Redis of ioredis. */
interface Redis {
  readonly status: string;
  readonly options: Options;
  duplicate(override: Options): Redis;
  connect(): Promise<void>;
  disconnect(): void;
  on(event: "error", listener: (error: unknown) => void): unknown;
  callBuffer(command: string, ...words: (string | Buffer | number)[]): Promise<unknown>;
}

/** What we use of a Cluster. */
interface Cluster {
  readonly isCluster: true;
  readonly options: { redisOptions?: Options };
  readonly startupNodes: (string | number | { host?: string; port?: number | string })[];
}

// Turns off what the user's client does for its own commands and ours must not do: resending, reconnecting, queueing.
const OURS: Options = {
  lazyConnect: true,
  retryStrategy: () => null,
  sentinelRetryStrategy: () => null,
  reconnectOnError: null,
  maxRetriesPerRequest: 0,
  autoResendUnfulfilledCommands: false,
  enableOfflineQueue: false,
  enableReadyCheck: false,
  enableAutoPipelining: false,
  disableClientInfo: true,
  commandTimeout: undefined,
  blockingTimeout: undefined,
  socketTimeout: undefined,
  stringNumbers: false,
  keyPrefix: undefined,
  readOnly: false,
  failoverDetector: false,
};

class IoredisConnection implements Connection {
  private redis: Redis | undefined;
  private opening: Promise<void> | undefined;
  private closed = false;

  constructor(private readonly make: () => Promise<Redis> | Redis) {}

  open(): Promise<void> {
    this.opening ??= this.connect();
    return this.opening;
  }

  private async connect(): Promise<void> {
    const redis = await this.make();
    this.redis = redis;
    let reason: unknown; // the error of connect() only says that the connection is closed
    redis.on("error", (error) => (reason = error));
    if (this.closed) throw new Error("the connection is closed");
    await redis.connect().catch((error: unknown) => {
      throw reason ?? error;
    });
  }

  isOpen(): boolean {
    return !this.closed && this.redis?.status === "ready";
  }

  async send(commands: Words[]): Promise<unknown[]> {
    const redis = this.redis as Redis;
    const replies = commands.map(([name, ...words]) =>
      redis.callBuffer(String(name), ...words).catch((error: unknown) => {
        if (isAnswer(error)) return error;
        throw error;
      }),
    );
    return Promise.all(replies);
  }

  close(): void {
    this.closed = true;
    this.redis?.disconnect();
  }
}

export class IoredisSource implements Source {
  readonly isCluster = false;
  readonly nodes: Address[] = [];

  constructor(private readonly client: Redis) {}

  connection(connectTimeoutMs: number): Connection {
    return new IoredisConnection(() => this.client.duplicate({ ...OURS, connectTimeout: connectTimeoutMs }));
  }
}

export class IoredisClusterSource implements Source {
  readonly isCluster = true;
  readonly nodes: Address[];

  constructor(private readonly client: Cluster) {
    this.nodes = client.startupNodes.map(asAddress);
  }

  connection(connectTimeoutMs: number, address?: Address): Connection {
    const options = { ...this.client.options.redisOptions, ...OURS, ...address, connectTimeout: connectTimeoutMs };
    return new IoredisConnection(async () => {
      const name = "ioredis"; // the compiler does not know this module: it is installed only where it is used
      const { Redis } = (await import(name)) as { Redis: new (options: Options) => Redis };
      return new Redis(options);
    });
  }
}

function asAddress(node: string | number | { host?: string; port?: number | string }): Address {
  if (typeof node === "number") return { host: "127.0.0.1", port: node };
  if (typeof node !== "string") return { host: node.host ?? "127.0.0.1", port: Number(node.port ?? 6379) };
  const url = new URL(node.includes("://") ? node : `redis://${node}`);
  return { host: url.hostname.replace(/^\[|\]$/g, ""), port: Number(url.port || 6379) };
}

export function isIoredis(client: object): client is Redis {
  return "callBuffer" in client && "duplicate" in client && !isIoredisCluster(client);
}

export function isIoredisCluster(client: object): client is Cluster {
  return "startupNodes" in client && "isCluster" in client && client.isCluster === true;
}
