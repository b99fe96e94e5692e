// Sends commands to the cluster node that serves a key.

import type { Address, Source } from "./connection.js";
import { ConnectionLost, MillraceError, RefusedForNow, checked, redirection } from "./errors.js";
import { Link, Node, type ExchangeOptions } from "./link.js";
import { list, text, type Words } from "./replies.js";
import type { Settings } from "./settings.js";
import { keySlot } from "./slots.js";

const REDIRECTIONS_MOST = 16;

export class ClusterLink extends Link {
  private known: Address[];
  private readonly nodes = new Map<string, Node>();
  private slots = new Map<number, Address>();
  private stale = true;
  private closed = false;

  constructor(source: Source, settings: Settings) {
    super(source, settings);
    this.known = source.nodes;
  }

  override async exchange(key: string, commands: Words[], options: ExchangeOptions = {}): Promise<unknown[]> {
    const slot = keySlot(key);
    if (this.stale || !this.slots.has(slot)) await this.readSlots();
    let address = this.slots.get(slot);
    if (address === undefined) {
      this.stale = true;
      throw new RefusedForNow(`CLUSTERDOWN no node serves slot ${slot}`, "CLUSTERDOWN");
    }
    let asking = false;
    for (let count = 0; count < REDIRECTIONS_MOST; count += 1) {
      let replies: unknown[];
      try {
        replies = await this.at(address, commands, options, asking);
      } catch (error) {
        if (error instanceof ConnectionLost) this.stale = true;
        throw error;
      }
      const moved = replies.map(redirection).find((found) => found !== undefined);
      if (moved === undefined) return replies;
      // A node that does not know its own address gives an empty one, which means the node that was asked.
      address = { host: moved.host || address.host, port: moved.port };
      asking = moved.isAsk;
      if (asking && commands[0]?.[0] === "MULTI") throw new RefusedForNow("TRYAGAIN the slot is on its way", "TRYAGAIN");
      if (!asking) {
        this.slots.set(slot, address);
        // Other slots may have moved too, for example in a failover: read the whole map before the next command.
        this.stale = true;
      }
    }
    throw new RefusedForNow(`TRYAGAIN ${REDIRECTIONS_MOST} redirections`, "TRYAGAIN");
  }

  private async at(address: Address, commands: Words[], options: ExchangeOptions, asking: boolean): Promise<unknown[]> {
    const node = this.nodeAt(address);
    if (!asking) return node.exchange(commands, options);
    const then = options.then;
    const replies = await node.exchange(asked(commands), {
      ...options,
      then: then && ((found) => asked(then(everySecond(found)))),
    });
    return everySecond(replies);
  }

  private nodeAt(address: Address): Node {
    const name = `${address.host}:${address.port}`;
    let node = this.nodes.get(name);
    if (node === undefined) {
      node = new Node(this.source, this.settings, address);
      if (this.closed) node.close(); // a command that was redirected meanwhile
      this.nodes.set(name, node);
    }
    return node;
  }

  /** Reads the slots from the first node that answers. */
  private async readSlots(): Promise<void> {
    let failure: MillraceError = new ConnectionLost("no node of the cluster is known");
    const shuffled = this.known.map((address) => ({ address, rank: Math.random() })).sort((a, b) => a.rank - b.rank);
    for (const { address } of shuffled) {
      try {
        const [reply] = await this.nodeAt(address).exchange([["CLUSTER", "SLOTS"]]);
        if (this.learn(list(checked(reply)), address)) return;
      } catch (error) {
        if (!(error instanceof MillraceError)) throw error;
        failure = error;
      }
    }
    throw failure;
  }

  private learn(rows: unknown[], asked: Address): boolean {
    const slots = new Map<number, Address>();
    const known = new Map<string, Address>();
    for (const row of rows) {
      const [first, last, master] = list(row);
      const [host, port] = list(master);
      const address = { host: host === null ? asked.host : text(host) || asked.host, port: Number(port) };
      known.set(`${address.host}:${address.port}`, address);
      for (let slot = Number(first); slot <= Number(last); slot += 1) slots.set(slot, address);
    }
    if (slots.size === 0) return false;
    for (const address of this.source.nodes) known.set(`${address.host}:${address.port}`, address);
    this.slots = slots;
    this.known = [...known.values()];
    this.stale = false;
    return true;
  }

  override close(): void {
    this.closed = true;
    for (const node of this.nodes.values()) node.close();
  }
}

function asked(commands: Words[]): Words[] {
  return commands.flatMap((words) => [["ASKING"], words]);
}

function everySecond(replies: unknown[]): unknown[] {
  return replies.filter((_, at) => at % 2 === 1);
}
