import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";

const ROOT = join(import.meta.dirname, "..");
const uriOf = (path: string) => pathToFileURL(join(ROOT, path)).href;
const textOf = (path: string) => readFileSync(join(ROOT, path), "utf8");

/** The compiler as an editor uses it: what a reader gets who asks where a name leads. */
class LanguageServer {
  readonly #process: ChildProcessWithoutNullStreams;
  readonly #waiting = new Map<number, (result: unknown) => void>();
  #read = Buffer.alloc(0);
  #asked = 0;

  constructor() {
    this.#process = spawn(join(ROOT, "node_modules/.bin/tsc"), ["--lsp", "--stdio"], { cwd: ROOT });
    this.#process.stdout.on("data", (chunk: Buffer) => {
      this.#read = Buffer.concat([this.#read, chunk]);
      while (this.#takeOne());
    });
  }

  ask(method: string, params: object): Promise<unknown> {
    const id = ++this.#asked;
    this.tell({ id, method, params });
    return new Promise((resolve) => this.#waiting.set(id, resolve));
  }

  tell(message: object): void {
    const text = JSON.stringify({ jsonrpc: "2.0", ...message });
    this.#process.stdin.write(`Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`);
  }

  async close(): Promise<void> {
    const exited = once(this.#process, "exit");
    this.#process.kill();
    await exited;
  }

  #takeOne(): boolean {
    const end = this.#read.indexOf("\r\n\r\n");
    const length = Number(/Content-Length: (\d+)/i.exec(this.#read.subarray(0, end).toString())?.[1]);
    if (end === -1 || this.#read.length < end + 4 + length) return false;
    const message = JSON.parse(this.#read.subarray(end + 4, end + 4 + length).toString());
    this.#read = this.#read.subarray(end + 4 + length);
    // The server's own questions, for settings that there are none of.
    if (message.method) this.tell({ id: message.id, result: message.params?.items?.map(() => null) ?? null });
    else this.#waiting.get(message.id)?.(message.result);
    return true;
  }
}

let server: LanguageServer;

beforeAll(async () => {
  server = new LanguageServer();
  await server.ask("initialize", { processId: process.pid, rootUri: uriOf(""), capabilities: {} });
  server.tell({ method: "initialized", params: {} });
});

afterAll(() => server.close());

/** The lines, with their files, to which the last of these words leads, where they first stand in `path`. */
async function placesOf(kind: "definition" | "implementation", path: string, words: string) {
  const textDocument = { uri: uriOf(path) };
  const text = textOf(path);
  expect(text).toContain(words);
  const before = text.slice(0, text.indexOf(words) + words.search(/\w+\W*$/)).split("\n");
  const position = { line: before.length - 1, character: before.at(-1)!.length };
  server.tell({
    method: "textDocument/didOpen",
    params: { textDocument: { ...textDocument, languageId: "typescript", version: 1, text } },
  });
  const found = await server.ask(`textDocument/${kind}`, { textDocument, position });
  server.tell({ method: "textDocument/didClose", params: { textDocument } });
  type Found = { uri: string; range: { start: { line: number } } };
  return ([found ?? []].flat() as Found[]).map(({ uri, range }) => {
    const file = uri.slice(uriOf("").length).replace(/^\//, "");
    return `${file}: ${textOf(file).split("\n")[range.start.line]!.trim()}`;
  });
}

const STEPS = "src/engines/embedded/requests.ts";

test.each([
  ["src/engines/embedded/engine.ts", "steps.stage", "stage: receiving.stage,"],
  ["src/engines/embedded/engine.ts", "steps.takeDue", "takeDue: takingDue.takeDue,"],
  ["src/engines/embedded/engine.ts", "steps.commit", "commit: committing.commit,"],
  ["src/engines/embedded/engine.ts", "steps.sweep", "sweep: sweeping.sweep,"],
  ["src/engines/sqlite/index.ts", "steps.tracesLeft", "tracesLeft: erasing.tracesLeft,"],
])("in %s, %s leads to the list of steps, and from there to the step", async (path, words, line) => {
  expect(await placesOf("definition", path, words)).toEqual([`${STEPS}: ${line}`]);
  const [step = ""] = await placesOf("definition", STEPS, line);
  expect(step).toMatch(/^src\/engines\/embedded\/steps\/.*: export function /);
});

test.each(["stage(", "takeDue(", "take(", "commit(", "sweep("])(
  "the port's %s leads to both kinds of engine",
  async (words) => {
    const places = await placesOf("implementation", "src/ports/engine.ts", `  ${words}`);
    const files = places.map((place) => place.split(":")[0]);
    expect(files).toContain("src/engines/embedded/engine.ts");
    expect(files).toContain("src/engines/aws/engine.ts");
  },
);
