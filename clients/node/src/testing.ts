// A real server for tests: with the module, on a free port of 127.0.0.1, in a directory of its own.
// The module is the one that MILLRACE_MODULE names, or is where the package of the distribution puts it. The server is
// the one that MILLRACE_SERVER names, or redis-server in PATH.

import { spawn, type ChildProcess } from "node:child_process";
import { existsSync, mkdtempSync, openSync, closeSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { connect, createServer, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { now, sleep } from "./waiting.js";

export const MODULE_PATHS = ["/usr/lib/millrace/millrace.so", "/usr/local/lib/millrace/millrace.so"];
const PATIENCE = 60_000; // milliseconds that a start may take
const SILENCE = 10_000; // milliseconds to wait for the next byte of an answer
const TRIES = 10; // another process may take the port first

export class TestServer {
  /** Made by startServer(). REQUIRES: the server is ready. */
  constructor(
    readonly port: number,
    private readonly directory: string,
    private readonly process: ChildProcess,
  ) {}

  get url(): string {
    return `redis://127.0.0.1:${this.port}`;
  }

  /** Stops the server and removes all its files. */
  async flush(): Promise<void> {
    const answer = await ask(this.port, "FLUSHALL");
    if (!answer.startsWith("+OK")) throw new Error(`FLUSHALL: ${answer}`);
  }

  async stop(): Promise<void> {
    await stopped(this.process);
    rmSync(this.directory, { recursive: true, force: true });
  }
}

/** Settings are the server's own: { appendonly: "yes" }. */
export async function startServer(settings: Record<string, string | number> = {}): Promise<TestServer> {
  const module = process.env["MILLRACE_MODULE"] ?? MODULE_PATHS.find((path) => existsSync(path));
  if (module === undefined) throw new Error("millrace.so is not found: set MILLRACE_MODULE, or install the package millrace");
  const directory = mkdtempSync(join(tmpdir(), "millrace-"));
  const all = { bind: "127.0.0.1", save: '""', appendonly: "no", ...settings };
  const log = join(directory, "server.log");
  for (let count = 0; count < TRIES; count += 1) {
    const port = await freePort();
    const lines = Object.entries({ ...all, port, dir: directory, loadmodule: module }).map(([name, value]) => `${name} ${value}\n`);
    writeFileSync(join(directory, "server.conf"), lines.join(""));
    const output = openSync(log, "w");
    const server = spawn(process.env["MILLRACE_SERVER"] ?? "redis-server", ["server.conf"], {
      cwd: directory, stdio: ["ignore", output, output],
    });
    server.on("error", () => undefined); // the program was not found: there is no pid, and it is not ready
    closeSync(output);
    if (await isReady(server, port)) return new TestServer(port, directory, server);
    await stopped(server);
  }
  const said = readFileSync(log, "utf8");
  rmSync(directory, { recursive: true, force: true });
  throw new Error(`the server does not start:\n${said}`);
}

async function freePort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((resolve, reject) => probe.once("error", reject).listen(0, "127.0.0.1", resolve));
  const { port } = probe.address() as AddressInfo;
  await new Promise((resolve) => probe.close(resolve));
  return port;
}

async function isReady(server: ChildProcess, port: number): Promise<boolean> {
  for (const end = now() + PATIENCE; server.pid !== undefined && server.exitCode === null && now() < end; await sleep(5)) {
    const said = await ask(port, "INFO server").catch(() => "");
    const found = /process_id:(\d+)/.exec(said);
    if (found) return Number(found[1]) === server.pid;
  }
  return false;
}

async function stopped(server: ChildProcess): Promise<void> {
  if (server.pid === undefined || server.exitCode !== null || server.signalCode !== null) return;
  const ended = new Promise((resolve) => server.once("exit", resolve));
  server.kill("SIGKILL");
  await ended;
}

/** The answer to an inline command, as raw text. */
function ask(port: number, command: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let answer = "";
    const socket = connect(port, "127.0.0.1", () => socket.write(`${command}\r\nQUIT\r\n`));
    // Another process may have taken the port and not answer. And a connection to a port on which nothing listens yet
    // may even connect to itself.
    socket.setTimeout(SILENCE, () => socket.destroy(new Error(`port ${port} does not answer`)));
    socket.setEncoding("utf8");
    socket.on("data", (part: string) => (answer += part));
    socket.on("end", () => resolve(answer));
    socket.on("error", reject);
  });
}
