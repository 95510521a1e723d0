import { setImmediate as turn } from "node:timers/promises";
import { expect, test } from "vitest";
import { LineWriter, WHOLE_BYTES_MAX } from "./line-writer.ts";

/** A pipe whose reader stands still until it is told to read. */
class Target {
  readonly written: string[] = [];
  writableLength = 0;
  isRead = true;
  /** As a file on a disk that is full: nothing waits, and nothing is taken. */
  isFull = false;
  tries = 0;
  readonly #pending: (() => void)[] = [];

  write(text: string, onTaken: (error?: Error) => void): void {
    this.tries += 1;
    if (this.isFull) {
      process.nextTick(onTaken, new Error("ENOSPC"));
      return;
    }
    this.written.push(text);
    if (this.isRead) process.nextTick(onTaken);
    else {
      this.writableLength += text.length;
      this.#pending.push(onTaken);
    }
  }

  read(): void {
    this.isRead = true;
    this.writableLength = 0;
    for (const onTaken of this.#pending.splice(0)) onTaken();
  }
}

const lostLine = (lines: number) => `lost ${lines}\n`;

function writerTo(
  target: Target,
  { unreadLengthMax, now = [] }: { unreadLengthMax?: number; now?: string[] },
) {
  const writeNow = (text: string) => target.isRead && now.push(text) > 0;
  const lines = new LineWriter({ target, writeNow, ...(unreadLengthMax && { unreadLengthMax }) });
  const write = (...all: string[]) => {
    for (const line of all) lines.write(line, lostLine);
  };
  return { lines, write };
}

test("what one turn of the event loop logs is one write", async () => {
  const target = new Target();
  const { write } = writerTo(target, {});
  write("a\n", "b\n");
  expect(target.written).toEqual([]);
  await turn();
  write("c\n");
  await turn();
  expect(target.written).toEqual(["a\nb\n", "c\n"]);
});

test("a write is of whole lines, no longer than a pipe takes as one, and waits for the last", async () => {
  const target = new Target();
  target.isRead = false;
  const { write } = writerTo(target, {});
  const lines = Array.from({ length: 100 }, (_, at) => `${at} ${"é".repeat(100)}\n`);
  write(...lines);
  await turn();
  expect(target.written).toHaveLength(1);
  target.read();
  expect(target.written.join("")).toBe(lines.join(""));
  expect(target.written.every((each) => Buffer.byteLength(each) <= WHOLE_BYTES_MAX)).toBe(true);
  expect(target.written.every((each) => each.endsWith("\n"))).toBe(true);
});

test("at the end of the process nothing is left unwritten, and nothing is written twice", async () => {
  const target = new Target();
  const now: string[] = [];
  const { lines, write } = writerTo(target, { now });
  write("last words\n");
  lines.end();
  lines.end();
  await turn();
  expect([target.written, now]).toEqual([[], ["last words\n"]]);
});

test("while its reader stands still so much waits, and what is lost is told once there is room", async () => {
  const target = new Target();
  target.isRead = false;
  const { write } = writerTo(target, { unreadLengthMax: 12 });
  write("12345\n", "12345\n", "too\n", "much\n");
  await turn();
  expect(target.written).toEqual(["12345\n12345\n"]);
  target.read();
  // Without a further line.
  expect(target.written).toEqual(["12345\n12345\n", "lost 2\n"]);
  await turn();
  write("y\n");
  await turn();
  expect(target.written.at(-1)).toBe("y\n");
});

test("a process that ends tells how many lines are lost, those that still waited among them", async () => {
  const target = new Target();
  target.isRead = false;
  const now: string[] = [];
  const writeNow = (text: string) => text.startsWith("lost") && now.push(text) > 0;
  const lines = new LineWriter({ target, writeNow, unreadLengthMax: 12 });
  for (const line of ["12345\n", "12345\n", "too\n", "much\n"]) lines.write(line, lostLine);
  await turn();
  lines.end();
  expect(now).toEqual(["lost 4\n"]);
});

test("a message of a command comes after what was logged before it, and is never left out", () => {
  const target = new Target();
  const { lines, write } = writerTo(target, { unreadLengthMax: 4 });
  write("log\n", "lost\n");
  lines.say("it failed\n");
  expect(target.written.join("")).toBe("log\nit failed\nlost 1\n");
});

test("lines that a full disk did not take are counted, and told with the first that it takes", async () => {
  const target = new Target();
  const { write } = writerTo(target, {});
  target.isFull = true;
  for (const lines of [["a\n", "b\n"], ["c\n"], ["d\n", "e\n"]]) {
    write(...lines);
    await turn();
  }
  expect(target.written).toEqual([]);
  target.isFull = false;
  write("f\n", "g\n");
  await turn();
  expect(target.written).toEqual(["lost 5\nf\ng\n"]);
  write("h\n");
  await turn();
  expect(target.written.slice(1)).toEqual(["h\n"]);
});

test("a full disk is tried once for each turn of the event loop that logs, and not between", async () => {
  const target = new Target();
  const { write } = writerTo(target, {});
  target.isFull = true;
  write("a\n");
  for (let turns = 0; turns < 10; turns += 1) await turn();
  expect(target.tries).toBe(1);
  write("b\n", "c\n");
  for (let turns = 0; turns < 10; turns += 1) await turn();
  expect(target.tries).toBe(2);
});

test("what one write loses is told at once if the next one gets through", async () => {
  const target = new Target();
  const { write } = writerTo(target, {});
  target.isFull = true;
  write(`${"x".repeat(WHOLE_BYTES_MAX - 1)}\n`, "y\n");
  const taken = target.write.bind(target);
  target.write = (text, onTaken) => {
    target.isFull = text.startsWith("x");
    taken(text, onTaken);
  };
  await turn();
  await turn();
  expect(target.written).toEqual(["y\n", "lost 1\n"]);
});

test("a process that ends on a full disk tells what it lost before, if there is room again", async () => {
  const target = new Target();
  const now: string[] = [];
  const { lines, write } = writerTo(target, { now });
  target.isFull = true;
  write("a\n", "b\n");
  await turn();
  lines.end();
  expect(now).toEqual(["lost 2\n"]);
});
