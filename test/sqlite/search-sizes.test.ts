import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, expect, it } from "vitest";
import { settingsWith } from "../../src/core/defaults.ts";
import { sqlite } from "../../src/engines/sqlite/index.ts";
import type { Engine } from "../../src/ports/engine.ts";
import type { ConversationFilter } from "../../src/ports/inspector.ts";
import { searched } from "../../src/runtime/their-pages.ts";
import { fakeClock } from "../../src/testing/fake-clock.ts";

const CONVERSATIONS = 25_000;
/** What a person may write into the table: between it and the next number lies a gap of years. */
const FOREIGN_NUMBER = Number.MAX_SAFE_INTEGER - 1;

let folder = "";
let engine: Engine;
let first = "";
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "lull-search-"));
  const file = join(folder, "lull.db");
  engine = await sqlite({ file, writer: "inline", synchronous: "off" }).open({
    clock: fakeClock(),
    settings: settingsWith({}),
    holder: "here",
    log: () => {},
    onArmed: () => {},
  });
  const key = { channelType: "sms", address: "+15550100", sender: "first" };
  first = (await engine.conversations.create(key)).conversation.id;
  const database = new DatabaseSync(file);
  database.exec(`
    WITH RECURSIVE n(i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i < ${CONVERSATIONS})
    INSERT INTO conversations
      SELECT i, 'c' || i, channel_type, address, 'person ' || i, NULL, i % 2,
        json_set(record, '$.id', 'c' || i, '$.sender', 'person ' || i,
          '$.taskComplete', json(iif(i % 2, 'true', 'false')))
      FROM conversations, n WHERE number = 1;
    UPDATE conversations SET number = ${FOREIGN_NUMBER} WHERE number = ${CONVERSATIONS}`);
  database.close();
});
afterEach(async () => {
  await engine.close();
  rmSync(folder, { recursive: true });
});

async function pagesOf(filter: Omit<ConversationFilter, "limit">): Promise<string[][]> {
  const pages: string[][] = [];
  let cursor: string | undefined;
  do {
    const from = cursor === undefined ? {} : { cursor };
    const page = await engine.inspector.conversations({ limit: 10, ...filter, ...from });
    pages.push(page.items.map(({ id }) => id));
    cursor = page.next;
  } while (cursor !== undefined);
  return pages;
}

it("a search looks at so many in one go, however few it finds, and goes on where it ended", async () => {
  expect(await pagesOf({ search: "first" })).toEqual([[], [], [first]]);
  expect(await pagesOf({ search: "nobody" })).toEqual([[], [], []]);
  expect((await pagesOf({ search: "person 1", active: true })).flat()).toEqual(
    Array.from({ length: CONVERSATIONS }, (_, i) => CONVERSATIONS - i)
      .filter((i) => i > 1 && i % 2 === 0 && String(i).startsWith("1"))
      .map((i) => `c${i}`),
  );
});

it("an operator's search reads on until it has found what there is", async () => {
  const { items, next } = await searched(engine.inspector, { search: "first", limit: 10 });
  expect(items.map(({ id }) => id)).toEqual([first]);
  expect(next).toBeUndefined();
});
