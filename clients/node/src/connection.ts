// A connection as this package needs it, whichever client library makes it.

import type { Words } from "./replies.js";

export interface Address {
  readonly host: string;
  readonly port: number;
}

/** One connection, which never reconnects by itself and never sends anything twice. */
export interface Connection {
  /** Connects, if it is not connected yet. */
  open(): Promise<void>;
  /** False once it is closed, by either side. */
  isOpen(): boolean;
  /** Sends the commands together; resolves to the replies, including errors of the server. Rejects if the connection
   *  breaks. */
  send(commands: Words[]): Promise<unknown[]>;
  close(): void;
}

/** Makes connections in the same way as the user's client. */
export interface Source {
  readonly isCluster: boolean;
  /** The addresses of cluster nodes to ask first. */
  readonly nodes: Address[];
  connection(connectTimeoutMs: number, address?: Address): Connection;
}
