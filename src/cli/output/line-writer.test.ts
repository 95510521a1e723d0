import { setImmediate as turn } from "node:timers/promises";
import { expect, test } from "vitest";
import { lineWriter } from "./line-writer.ts";

class Target {
  readonly written: string[] = [];
  writableLength = 0;

  write(text: string): void {
    this.written.push(text);
    this.writableLength += text.length;
  }
}

test("what one turn of the event loop logs is one write", async () => {
  const target = new Target();
  const { write } = lineWriter(target);
  write("a\n");
  write("b\n");
  expect(target.written).toEqual([]);
  await turn();
  write("c\n");
  await turn();
  expect(target.written).toEqual(["a\nb\n", "c\n"]);
});

test("at the end of the process nothing is left unwritten, and nothing is written twice", async () => {
  const target = new Target();
  const { write, flush } = lineWriter(target);
  write("last words\n");
  flush();
  flush();
  await turn();
  expect(target.written).toEqual(["last words\n"]);
});

test("while its reader stands still no more than so much waits, and then it goes on", async () => {
  const target = new Target();
  const { write } = lineWriter(target, 10);
  const taken = ["12345\n", "12345\n", "12345\n"].map((line) => write(line));
  await turn();
  expect([...taken, write("x\n")]).toEqual([true, true, false, false]);
  target.writableLength = 0;
  expect(write("y\n")).toBe(true);
  await turn();
  expect(target.written).toEqual(["12345\n12345\n", "y\n"]);
});
