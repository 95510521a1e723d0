import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, expect, it } from "vitest";
import { settingsWith } from "../../src/core/defaults.ts";
import { sqlite } from "../../src/engines/sqlite/index.ts";
import type { Engine } from "../../src/ports/engine.ts";
import { fakeClock } from "../../src/testing/fake-clock.ts";

const LETTERS = 20;

let folder = "";
let engine: Engine;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "lull-listing-"));
  const file = join(folder, "lull.db");
  engine = await sqlite({ file, writer: "inline", synchronous: "off" }).open({
    clock: fakeClock(),
    settings: settingsWith({}),
    holder: "here",
    log: () => {},
    onArmed: () => {},
  });
  const database = new DatabaseSync(file);
  const insert = database.prepare(
    "INSERT INTO dead_letters (id, conversation_id, record) VALUES (?, 'c1', ?)",
  );
  for (let n = 0; n < LETTERS; n += 1) {
    const letter = {
      id: `d${n}`,
      conversationId: "c1",
      reason: "x".repeat(1_000_000),
      attempts: 1,
      rows: [],
      atMs: n,
    };
    insert.run(letter.id, JSON.stringify(letter));
  }
  database.close();
});
afterEach(async () => {
  await engine.close();
  rmSync(folder, { recursive: true });
});

it("a page of dead letters ends where it becomes too large, and the next one goes on there", async () => {
  const pages: string[][] = [];
  for (let cursor: string | undefined = ""; cursor !== undefined; ) {
    const page = await engine.inspector.dead({ limit: 500, ...(cursor !== "" && { cursor }) });
    pages.push(page.items.map(({ id }) => id));
    cursor = page.next;
  }
  expect(Math.max(...pages.map(({ length }) => length))).toBe(7);
  expect(pages.flat()).toEqual(Array.from({ length: LETTERS }, (_, n) => `d${LETTERS - 1 - n}`));
});
