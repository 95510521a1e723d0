import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { fileURLToPath } from "node:url";
import { afterEach, describe, expect, it } from "vitest";
import { LullError, StoreUnavailable } from "../../errors.ts";
import type { EngineProvider } from "../../ports/engine.ts";
import { type TestLull, testLull } from "../../testing/test-lull.ts";
import { errorFrom, failureOf, isDamage } from "./failure.ts";
import { sqlite } from "./index.ts";

/** As it comes out at the other end of a thread. */
function crossed(error: unknown): Error {
  return errorFrom(JSON.parse(JSON.stringify(failureOf(error))));
}

function thrownBy(work: () => unknown): unknown {
  try {
    return work();
  } catch (error) {
    return error;
  }
}

describe("an error that crosses from the store", () => {
  const closed = new DatabaseSync(":memory:");
  closed.close();
  const open = new DatabaseSync(":memory:");

  it.each([
    ["a bug", () => (undefined as never as { x: string }).x, { name: "TypeError" }],
    [
      "a value that no row holds",
      () => open.prepare("SELECT ?").get(undefined as never),
      { name: "TypeError" },
    ],
    ["something thrown that is no error", () => thrown("a word"), { name: "Error" }],
  ])("is a bug where it was one: %s", (_, work, expected) => {
    const error = crossed(thrownBy(work));
    expect(error).toMatchObject(expected);
    expect(error).not.toBeInstanceOf(LullError);
  });

  it.each([
    ["SQLite's own", () => open.exec("SELECT * FROM nowhere")],
    ["a file that is closed", () => closed.exec("SELECT 1")],
    ["the system's", () => rmSync(join(tmpdir(), "lull-nowhere"))],
    ["one of ours", () => thrown(new StoreUnavailable("the file was moved"))],
  ])("is the store's where it was: %s", (_, work) => {
    expect(crossed(thrownBy(work))).toMatchObject({ code: "STORE_UNAVAILABLE", retry: "later" });
  });

  it("keeps its code and what it says about trying again", () => {
    const error = new LullError("too large", { code: "REPLY_TOO_LARGE", retry: "never" });
    expect(crossed(error)).toMatchObject({ code: "REPLY_TOO_LARGE", retry: "never", message: "too large" });
  });
});

function thrown(error: unknown): never {
  throw error;
}

describe("a bug in a step", () => {
  let folder: string;
  let lull: TestLull;
  afterEach(async () => {
    await lull.stop();
    rmSync(folder, { recursive: true });
  });

  it("ends the try at once, and counts: no turn waits for the store to come back", async () => {
    folder = mkdtempSync(join(tmpdir(), "lull-bug-"));
    const kept = sqlite({ file: join(folder, "lull.db"), writer: "inline" });
    const engine: EngineProvider = {
      ...kept,
      async open(context) {
        const opened = await kept.open(context);
        const draft: typeof opened.turns.draft = (lease) => opened.turns.draft(lease, undefined as never);
        return { ...opened, turns: { ...opened.turns, draft } };
      },
    };
    const logged: string[] = [];
    const log = (_level: string, event: string) => void logged.push(event);
    lull = testLull({
      engine,
      window: { seconds: 1 },
      respond: () => "hello",
      log,
      limits: { attemptsMax: 2 },
    });
    await lull.receive("ana", "hi");
    await lull.advance(1_000);
    expect(logged).toContain("turn.retry");
    await lull.advance(10_000);
    const { items } = await (await lull.service.engine()).inspector.dead({ limit: 10 });
    expect(items.map(({ reason }) => reason)).toEqual([expect.stringMatching(/^TypeError: /)]);
    expect(logged).not.toContain("store.retry");
  });
});

/** What SQLite itself throws. */
function thrownBySqlite(statements: string, file = ":memory:"): unknown {
  const database = new DatabaseSync(file, { readOnly: file !== ":memory:" });
  // Otherwise SQLite would not let a statement spoil the schema.
  database.enableDefensive(false);
  try {
    database.exec(statements);
  } catch (error) {
    return error;
  } finally {
    database.close();
  }
  throw new Error("it went well");
}

const THIS_TEXT = fileURLToPath(import.meta.url);
const FULL = `PRAGMA max_page_count = 2; CREATE TABLE one (x); INSERT INTO one VALUES (zeroblob(100000))`;
const NO_SUCH_PAGE = `CREATE TABLE one (x); PRAGMA writable_schema = ON;
  UPDATE sqlite_schema SET rootpage = 99; PRAGMA writable_schema = RESET; SELECT * FROM one`;

it.each([
  ["that may only be read", thrownBySqlite("PRAGMA query_only = ON; CREATE TABLE one (x)"), "may only read"],
  ["on a full disk", thrownBySqlite(FULL), "the disk is full"],
  ["with a damaged page", thrownBySqlite(NO_SUCH_PAGE), "damaged"],
  ["that is none", thrownBySqlite("SELECT * FROM sqlite_schema", THIS_TEXT), "damaged"],
])("a database %s fails in words that say what to do, and in SQLite's own", (_which, error, words) => {
  const { message } = failureOf(error);
  expect(message).toContain(words);
  expect(message).toContain((error as Error).message);
  expect(isDamage(error)).toBe(words === "damaged");
});

it("any other failure is told as it is", () => {
  const error = thrownBySqlite("SELECT * FROM nothing");
  expect(failureOf(error)).toMatchObject({ ok: false, message: (error as Error).message });
  expect(isDamage(error)).toBe(false);
});
