// A connection as this package needs it, whichever client makes it.

import type { Words } from "./replies.js";

export interface Address {
  readonly host: string;
  readonly port: number;
}

/** One connection, which is never made anew by itself and never sends anything twice. */
export interface Connection {
  /** Connects, if it is not connected yet. */
  open(): Promise<void>;
  /** False once it is closed, by whomever. */
  isOpen(): boolean;
  /** Sends them together; the replies, errors of the server among them. Rejects if the connection breaks. */
  send(commands: Words[]): Promise<unknown[]>;
  close(): void;
}

/** Makes connections as the user's client makes its own. */
export interface Source {
  readonly isCluster: boolean;
  /** Of a cluster: where to ask first. */
  readonly nodes: Address[];
  connection(connectTimeoutMs: number, address?: Address): Connection;
}
