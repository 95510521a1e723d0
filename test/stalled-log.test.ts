import { spawn } from "node:child_process";
import { once } from "node:events";
import type { Readable, Writable } from "node:stream";
import { fileURLToPath } from "node:url";
import { describe, expect, onTestFinished, test } from "vitest";
import { eventually } from "./lull-process.ts";

const WRITER = fileURLToPath(new URL("log-writer.ts", import.meta.url));

/** About twice what may wait for its reader. */
const LINES = 30_000;

/** Node's own would be a socket, so the shell makes the pipe. Its reader begins with a word on 3. */
const SHARED_PIPE = `
  { "$@" a $LINES told <&5 >&4 & "$@" b $LINES told <&5 >&4 & wait; } 2>&1 | { read go <&3; cat; }`;
const PIPE_OF_ONE = `"$@" a $LINES at-once 2>&1 | cat`;

interface Line {
  readonly event: string;
  readonly name?: string;
  readonly lines?: number;
}

type Stdio = [null, Readable, null, Writable, Readable, Writable];

function shell(script: string) {
  const args = ["-c", script, "sh", process.execPath, WRITER];
  const env = { ...process.env, LINES: String(LINES) };
  const child = spawn("sh", args, { env, stdio: ["ignore", "pipe", "inherit", "pipe", "pipe", "pipe"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  const [, read, , go, said, writersInput] = child.stdio as unknown as Stdio;
  return { child, go, writersInput, read: textOf(read), said: textOf(said) };
}

function textOf(stream: Readable): { text: string } {
  const gathered = { text: "" };
  stream.setEncoding("utf8").on("data", (chunk: string) => {
    gathered.text += chunk;
  });
  return gathered;
}

function linesOf({ text }: { text: string }): Line[] {
  return text
    .split("\n")
    .slice(0, -1)
    .map((line) => JSON.parse(line) as Line);
}

function written(lines: readonly Line[], name: string): number {
  return lines.filter((line) => line.name === name).length;
}

function lost(lines: readonly Line[]): number {
  return lines.reduce((sum, line) => sum + (line.event === "log.lines-lost" ? (line.lines ?? 0) : 0), 0);
}

describe("a log whose reader stands still", () => {
  test("shared by two processes, has no torn line, and tells what it lost without being asked", async () => {
    const { child, go, writersInput, read, said } = shell(SHARED_PIPE);
    const gone = once(child, "close");
    await eventually("both to have logged", async () =>
      said.text.split("logged").length === 3 ? true : undefined,
    );
    expect(read.text).toBe("");
    go.end("go\n");
    await eventually("both to tell what they lost", async () =>
      read.text.split('"log.lines-lost"').length === 3 ? true : undefined,
    );
    writersInput.end();
    await gone;
    const lines = linesOf(read);
    for (const name of ["a", "b"]) expect(written(lines, name)).toBeGreaterThan(1_000);
    expect(written(lines, "a") + written(lines, "b") + lost(lines)).toBe(2 * LINES);
  });

  test("tells at the end of its process what it lost", async () => {
    const { child, read } = shell(PIPE_OF_ONE);
    await once(child, "close");
    const lines = linesOf(read);
    expect(lines.at(-1)?.event).toBe("log.lines-lost");
    expect(written(lines, "a")).toBeGreaterThan(1_000);
    expect(written(lines, "a") + lost(lines)).toBe(LINES);
  });
});
