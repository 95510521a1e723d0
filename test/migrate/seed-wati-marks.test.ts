import { copyFile } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { botFolder } from "./bot-folder.ts";
import { type BufferRow, threadStore } from "./thread-store.ts";
import { takeAllTurns } from "./turns.ts";

const bot = botFolder();

async function migrate(file: string, ...more: string[]) {
  const { code, json, stderr } = await bot.lull(["migrate", "seed-wati", file, "--apply", "--json", ...more]);
  expect(json, stderr).toBeDefined();
  return { code, json };
}

const allTurns = () => bot.withTarget(takeAllTurns);

function forgetIds(): void {
  const database = new DatabaseSync(join(bot.cwd, "lull.db"));
  database.exec("DELETE FROM remembered");
  database.close();
}

const rowsOf = (waId: string, count: number, from = 0): BufferRow[] =>
  Array.from({ length: count }, (_, n) => {
    const seconds = new Date(Date.UTC(2026, 0, 1) + (from + n) * 1_000).toISOString();
    return { waId, text: `${waId} says ${from + n}`, at: seconds.slice(0, 19).replace("T", " ") };
  });

test("runs at once over two states of a file: each row has one turn, then and after a week", async () => {
  const waIds = Array.from({ length: 40 }, (_, n) => `5037000${String(n).padStart(4, "0")}`);
  const database = threadStore(bot.source, { buffer: waIds.flatMap((waId) => rowsOf(waId, 3)) });
  const earlier = join(bot.cwd, "earlier.db");
  await copyFile(bot.source, earlier);
  database.exec("DELETE FROM message_buffer WHERE content LIKE '%says 0'");
  const insert = database.prepare(
    "INSERT INTO message_buffer (wa_id, message_type, content, timestamp) VALUES (?, 'text', ?, ?)",
  );
  for (const { waId, text, at } of waIds.flatMap((waId) => rowsOf(waId, 2, 3))) insert.run(waId, text, at);
  database.close();
  await bot.withTarget(async () => {});
  await Promise.all([migrate(bot.source), migrate(earlier), migrate(bot.source)]);
  const texts = (await allTurns()).flatMap((turn) => turn.texts);
  expect(texts.sort()).toEqual(
    waIds
      .flatMap((waId) => rowsOf(waId, 5))
      .map(({ text }) => text)
      .sort(),
  );
  forgetIds();
  for (const file of [bot.source, earlier])
    expect((await migrate(file)).json).toMatchObject({ staged: 0, duplicates: 0, left: [] });
});

test("what a program writes into a conversation while it is moved stays", async () => {
  threadStore(bot.source, {
    threads: [{ waId: "50370000001", threadId: "thread_1" }],
    buffer: rowsOf("50370000001", 950),
  }).close();
  const conversation = await bot.withTarget(async ({ conversations }) => {
    const key = { channelType: "whatsapp", address: "15550100", sender: "50370000001" };
    return (await conversations.create(key)).conversation;
  });
  let writes = 0;
  await bot.withTarget(async ({ conversations }) => {
    const moving = migrate(bot.source, "--beyond-memory").then(() => false);
    const turnOfLoop = () => new Promise<boolean>((resolve) => setImmediate(resolve, true));
    while (await Promise.race([moving, turnOfLoop()])) {
      const was = writes === 0 ? undefined : writes;
      const change = { name: "visits", was, to: writes + 1 };
      expect(await conversations.changeAttribute(conversation.id, change)).toBe("changed");
      writes += 1;
    }
  });
  const attributes = await bot.withTarget(
    async ({ conversations }) => (await conversations.get(conversation.id))?.attributes,
  );
  expect(writes).toBeGreaterThan(10);
  expect(attributes).toMatchObject({ visits: writes, openai_thread_id: "thread_1", seed_wati: {} });
});

test("thousands of rows of one customer are moved as they are answered, and noted in little", async () => {
  const rows = rowsOf("50370000001", 4_500);
  threadStore(bot.source, { buffer: rows }).close();
  const texts: string[] = [];
  let left = rows.length;
  for (const staged of [2_000, 2_000, 500]) {
    const { code, json } = await migrate(bot.source);
    left -= staged;
    expect(json).toMatchObject({ staged, duplicates: 0 });
    expect([code, json.left.length]).toEqual([left > 0 ? 1 : 0, left]);
    for (const { why } of json.left) expect(why).toMatch(/stagedMessagesMax.*run it again/);
    const turns = await allTurns();
    // Nobody was told to send anything again.
    expect(turns.filter(({ ids }) => ids.length === 0)).toEqual([]);
    texts.push(...turns.flatMap((turn) => turn.texts));
    forgetIds();
  }
  expect(texts).toEqual(rows.map(({ text }) => text));
  const [conversation] = await bot.withTarget(
    async ({ inspector }) => (await inspector.conversations({ limit: 10 })).items,
  );
  expect(JSON.stringify(conversation?.attributes).length).toBeLessThan(6_000);
  expect((await migrate(bot.source)).json).toMatchObject({ staged: 0, before: 4_500, left: [] });
}, 120_000);
