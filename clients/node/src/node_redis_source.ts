// Connections by node-redis, 5 and later: of a client for one server, for a node of a cluster, or for a master that Sentinels
// name. The library's own classes for clusters and Sentinels do not expose how they connect.

import type { Address, Connection, Source } from "./connection.js";
import { MillraceError, isAnswer, reasonOf } from "./errors.js";
import { list, text, type Words } from "./replies.js";
import { after } from "./waiting.js";

type Options = Record<string, unknown>;

/** What we use of a client of node-redis. */
interface Client {
  readonly isReady: boolean;
  readonly options: Options & { socket?: Options };
  duplicate(override: Options): Client;
  connect(): Promise<unknown>;
  destroy(): void;
  on(event: "error", listener: () => void): unknown;
  sendCommand(words: (string | Buffer)[]): Promise<unknown>;
}

// The library's number for this kind of reply: bulk strings come as bytes.
const BULK_STRING = 36;

// Turns off what the user's client does for its own commands and ours must not do: reconnecting, queueing, sending
// pings.
const OURS: Options = {
  disableOfflineQueue: true,
  disableClientInfo: true,
  pingInterval: undefined,
  url: undefined, // its parts are in the options already
  readonly: false,
  commandOptions: { typeMapping: { [BULK_STRING]: Buffer } },
};

/** A client made like the user's; for another server, if there is an address. */
function made(model: Client, connectTimeoutMs: number, address?: Address): Client {
  const ours = { reconnectStrategy: false, connectTimeout: connectTimeoutMs, socketTimeout: undefined };
  const client = model.duplicate({ ...OURS, socket: { ...model.options.socket, ...ours, ...address } });
  client.on("error", () => undefined); // errors reject the promises of the commands
  return client;
}

function destroy(client: Client | undefined): void {
  try {
    client?.destroy();
  } catch {
    // It was not open, or the other side has closed it.
  }
}

class NodeRedisConnection implements Connection {
  private client: Client | undefined;
  private opening: Promise<void> | undefined;
  private closed = false;

  /** `connected` resolves to a connected client. Before that it passes the client to its callback, so that it can be
   *  closed. */
  constructor(private readonly connected: (tell: (client: Client) => void) => Promise<unknown>) {}

  open(): Promise<void> {
    this.opening ??= this.connect();
    return this.opening;
  }

  private async connect(): Promise<void> {
    await this.connected((client) => {
      this.client = client;
      if (this.closed) throw new MillraceError("the connection is closed");
    });
    if (this.closed) destroy(this.client);
    if (this.closed) throw new MillraceError("the connection is closed");
  }

  isOpen(): boolean {
    return !this.closed && this.client?.isReady === true;
  }

  send(commands: Words[]): Promise<unknown[]> {
    const client = this.client as Client;
    return Promise.all(
      commands.map((words) =>
        client.sendCommand(words.map((word) => (typeof word === "number" ? String(word) : word))).catch((error: unknown) => {
          if (isAnswer(error)) return error;
          throw error;
        }),
      ),
    );
  }

  close(): void {
    if (this.closed) return;
    this.closed = true;
    destroy(this.client);
  }
}

export class NodeRedisSource implements Source {
  readonly nodes: Address[];

  constructor(
    private readonly client: Client,
    readonly isCluster: boolean,
  ) {
    const { host, port } = client.options.socket ?? {};
    this.nodes = [{ host: String(host ?? "127.0.0.1"), port: Number(port ?? 6379) }];
  }

  connection(connectTimeoutMs: number, address?: Address): Connection {
    return new NodeRedisConnection((tell) => {
      const client = made(this.client, connectTimeoutMs, address);
      tell(client);
      return client.connect();
    });
  }
}

/** The name of the master, and a node-redis client for each Sentinel; these need not be connected. */
export interface Sentinels {
  service: string;
  clients: object[];
}

/** The master is asked for whenever a connection is opened. */
export class NodeRedisSentinelSource implements Source {
  readonly isCluster = false;
  readonly nodes: Address[] = [];
  private readonly sentinels: Client[];

  constructor(
    private readonly client: Client,
    private readonly wanted: Sentinels,
  ) {
    this.sentinels = wanted.clients.filter(isNodeRedis);
    if (this.sentinels.length === 0 || this.sentinels.length < wanted.clients.length) {
      throw new MillraceError("the Sentinels must be clients of node-redis");
    }
  }

  connection(connectTimeoutMs: number): Connection {
    return new NodeRedisConnection(async (tell) => {
      const client = made(this.client, connectTimeoutMs, await this.master(connectTimeoutMs));
      tell(client);
      await client.connect();
      const [role] = list(await client.sendCommand(["ROLE"]));
      if (text(role) === "master") return;
      client.destroy();
      throw new MillraceError(`the master of ${this.wanted.service} is no master any more`);
    });
  }

  /** The master's address, from the first Sentinel that knows it. */
  private async master(connectTimeoutMs: number): Promise<Address> {
    const failures: string[] = [];
    for (const sentinel of this.sentinels) {
      const client = made(sentinel, connectTimeoutMs);
      try {
        await client.connect();
        const asked = client.sendCommand(["SENTINEL", "GET-MASTER-ADDR-BY-NAME", this.wanted.service]);
        const [host, port] = list(await answered(asked, connectTimeoutMs));
        if (host !== undefined) return { host: text(host), port: Number(text(port)) };
        failures.push("it knows no such master");
      } catch (error) {
        failures.push(reasonOf(error));
      } finally {
        destroy(client);
      }
    }
    throw new MillraceError(`no Sentinel tells the master of ${this.wanted.service}: ${failures.join("; ")}`);
  }
}

/** A Sentinel that does not answer must not prevent asking the next one. */
function answered<T>(reply: Promise<T>, ms: number): Promise<T> {
  return new Promise((resolve, reject) => {
    const forget = after(ms, () => reject(new MillraceError("a Sentinel does not answer")));
    reply.then(resolve, reject).finally(forget);
  });
}

export function isNodeRedis(client: object): client is Client {
  return "sendCommand" in client && "duplicate" in client && "destroy" in client && "options" in client && "isReady" in client;
}
