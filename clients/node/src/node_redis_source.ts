// Connections by node-redis, 5 and later: of a client for one server, or for a node of a cluster. Its classes for clusters
// and Sentinels do not tell how they connect.

import type { Address, Connection, Source } from "./connection.js";
import { MillraceError, isAnswer } from "./errors.js";
import type { Words } from "./replies.js";

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

// As the library numbers the kinds of replies: bulk strings come as bytes.
const BULK_STRING = 36;

// What the user's client does for its own commands, and ours must not: reconnecting, waiting in line, asking for pings.
const OURS: Options = {
  disableOfflineQueue: true,
  disableClientInfo: true,
  pingInterval: undefined,
  url: undefined, // its parts are among the options by now
  readonly: false,
  commandOptions: { typeMapping: { [BULK_STRING]: Buffer } },
};

class NodeRedisConnection implements Connection {
  private readonly client: Client;
  private opening: Promise<unknown> | undefined;
  private closed = false;

  constructor(model: Client, connectTimeoutMs: number, address?: Address) {
    const ours = { reconnectStrategy: false, connectTimeout: connectTimeoutMs, socketTimeout: undefined };
    this.client = model.duplicate({ ...OURS, socket: { ...model.options.socket, ...ours, ...address } });
    this.client.on("error", () => undefined); // what went wrong rejects the promises of the commands
  }

  async open(): Promise<void> {
    this.opening ??= this.client.connect();
    await this.opening;
    if (this.closed) throw new MillraceError("the connection is closed");
  }

  isOpen(): boolean {
    return !this.closed && this.client.isReady;
  }

  send(commands: Words[]): Promise<unknown[]> {
    return Promise.all(
      commands.map((words) =>
        this.client.sendCommand(words.map((word) => (typeof word === "number" ? String(word) : word))).catch((error: unknown) => {
          if (isAnswer(error)) return error;
          throw error;
        }),
      ),
    );
  }

  close(): void {
    if (this.closed) return;
    this.closed = true;
    try {
      this.client.destroy();
    } catch {
      // It was not open, or is closed by the other side.
    }
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
    return new NodeRedisConnection(this.client, connectTimeoutMs, address);
  }
}

export function isNodeRedis(client: object): client is Client {
  return "sendCommand" in client && "duplicate" in client && "destroy" in client && "options" in client && "isReady" in client;
}
