import { existsSync, readdirSync, readFileSync } from "node:fs";
import { connect, type Socket } from "node:net";

/** Connections of a caller with bad intentions. */
export interface Attack {
  /** Resolves when everything that the other side takes is written, or its connection is closed. */
  readonly underWay: Promise<unknown>;
  /** What each connection was answered so far. */
  answers(): readonly string[];
  /** Connections that the other side has not closed. */
  open(): number;
  /** Resolves when the other side has closed them all. */
  over(): Promise<unknown>;
  end(): void;
}

export interface AttackOptions {
  /** `false`: their answers are never read. */
  readonly reads?: boolean;
}

/** As many connections at once, each of which says `bytes` and nothing more. */
export function attack(
  port: number,
  count: number,
  bytes: (n: number) => string | Buffer,
  { reads = true }: AttackOptions = {},
): Attack {
  const callers = Array.from({ length: count }, (_, n) => new Caller(port, bytes(n), reads));
  return {
    underWay: Promise.all(callers.map((caller) => caller.said)),
    answers: () => callers.map(({ heard }) => heard),
    open: () => callers.filter(({ socket }) => !socket.closed).length,
    over: () => Promise.all(callers.map((caller) => caller.closed)),
    end: () => callers.forEach(({ socket }) => void socket.destroy()),
  };
}

class Caller {
  readonly socket: Socket;
  readonly closed: Promise<void>;
  readonly said: Promise<void>;
  heard = "";

  constructor(port: number, bytes: string | Buffer, reads: boolean) {
    this.socket = connect(port, "127.0.0.1");
    this.socket.on("error", () => {});
    const hear = (chunk: Buffer) => {
      this.heard += chunk.toString("latin1");
    };
    if (reads) this.socket.on("data", hear);
    else this.socket.pause();
    this.closed = new Promise((resolve) => this.socket.once("close", () => resolve()));
    const written = new Promise<void>((resolve) => void this.socket.write(bytes, () => resolve()));
    this.said = Promise.race([written, this.closed]);
  }
}

/** The head of an upload. */
export function head(path: string, headers: Readonly<Record<string, string | number>>): string {
  const lines = Object.entries({ host: "localhost", ...headers }).map(([name, value]) => `${name}: ${value}`);
  return `POST ${path} HTTP/1.1\r\n${lines.join("\r\n")}\r\n\r\n`;
}

/**
 * Watches how much a process grows from now on. The returned function ends that, and returns the maximum; 0
 * where memory cannot be read.
 */
export function growth(pid: number): () => number {
  const before = memoryOf(pid);
  let most = before;
  const look = () => {
    most = Math.max(most, memoryOf(pid));
  };
  const timer = setInterval(look, 20).unref();
  return () => {
    clearInterval(timer);
    look();
    return most - before;
  };
}

/** Bytes of memory that a process and its children hold now. */
export function memoryOf(pid: number): number {
  if (!existsSync("/proc/self/status")) return 0;
  const children = new Map<number, number[]>();
  for (const name of readdirSync("/proc").filter((each) => /^\d+$/.test(each))) {
    const parent = field(Number(name), "PPid");
    if (parent !== undefined) children.set(parent, [...(children.get(parent) ?? []), Number(name)]);
  }
  const family = (of: number): number[] => [of, ...(children.get(of) ?? []).flatMap(family)];
  return family(pid).reduce((sum, each) => sum + (field(each, "VmRSS") ?? 0) * 1_024, 0);
}

/** Undefined for one that is gone. */
function field(pid: number, name: string): number | undefined {
  try {
    const found = new RegExp(`^${name}:\\s+(\\d+)`, "m").exec(readFileSync(`/proc/${pid}/status`, "utf8"));
    return found?.[1] === undefined ? undefined : Number(found[1]);
  } catch {
    return undefined;
  }
}
