import { copyFile, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { run } from "../../src/cli/run.ts";
import { sqlite } from "../../src/engines/sqlite/index.ts";
import type { Engine } from "../../src/ports/engine.ts";
import { systemClock } from "../../src/runtime/system-clock.ts";
import { type BufferRow, threadStore } from "./thread-store.ts";
import { openEngine, takeAllTurns } from "./turns.ts";

const ENV = {
  WATI_API_URL: "https://wati.example/7001",
  WATI_TOKEN: "token",
  WATI_WEBHOOK_SECRET: "secret",
  WATI_NUMBERS: "15550100",
  LULL_DB: "lull.db",
};

let cwd: string;
let source: string;
beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), "lull-migrate-"));
  source = join(cwd, "thread_store.db");
  for (const [name, value] of Object.entries(ENV)) vi.stubEnv(name, value);
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await rm(cwd, { recursive: true, force: true });
});

async function migrate(file: string, ...more: string[]) {
  const [out, err]: [string[], string[]] = [[], []];
  const code = await run(["migrate", "seed-wati", file, "--apply", "--json", ...more], {
    env: ENV,
    cwd,
    stderrIsTty: false,
    nowMs: systemClock.nowMs,
    out: (line) => void out.push(line),
    err: (text) => void err.push(text),
    logLine: () => true,
  });
  expect(out, err.join("")).toHaveLength(1);
  return { code, json: JSON.parse(out[0]!) };
}

async function withTarget<T>(look: (engine: Engine) => Promise<T>): Promise<T> {
  const engine = await openEngine(sqlite({ file: join(cwd, "lull.db") }));
  try {
    return await look(engine);
  } finally {
    await engine.close();
  }
}

const allTurns = () => withTarget(takeAllTurns);

function forgetIds(): void {
  const database = new DatabaseSync(join(cwd, "lull.db"));
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
  const database = threadStore(source, { buffer: waIds.flatMap((waId) => rowsOf(waId, 3)) });
  const earlier = join(cwd, "earlier.db");
  await copyFile(source, earlier);
  database.exec("DELETE FROM message_buffer WHERE content LIKE '%says 0'");
  const insert = database.prepare(
    "INSERT INTO message_buffer (wa_id, message_type, content, timestamp) VALUES (?, 'text', ?, ?)",
  );
  for (const { waId, text, at } of waIds.flatMap((waId) => rowsOf(waId, 2, 3))) insert.run(waId, text, at);
  database.close();
  await withTarget(async () => {});
  await Promise.all([migrate(source), migrate(earlier), migrate(source)]);
  const texts = (await allTurns()).flatMap((turn) => turn.texts);
  expect(texts.sort()).toEqual(
    waIds
      .flatMap((waId) => rowsOf(waId, 5))
      .map(({ text }) => text)
      .sort(),
  );
  forgetIds();
  for (const file of [source, earlier])
    expect((await migrate(file)).json).toMatchObject({ staged: 0, duplicates: 0, left: [] });
});

test("what a program writes into a conversation while it is moved stays", async () => {
  threadStore(source, {
    threads: [{ waId: "50370000001", threadId: "thread_1" }],
    buffer: rowsOf("50370000001", 950),
  }).close();
  const conversation = await withTarget(async ({ conversations }) => {
    const key = { channelType: "whatsapp", address: "15550100", sender: "50370000001" };
    return (await conversations.create(key)).conversation;
  });
  let writes = 0;
  await withTarget(async ({ conversations }) => {
    const moving = migrate(source, "--beyond-memory").then(() => false);
    const turnOfLoop = () => new Promise<boolean>((resolve) => setImmediate(resolve, true));
    while (await Promise.race([moving, turnOfLoop()])) {
      const was = writes === 0 ? undefined : writes;
      const change = { name: "visits", was, to: writes + 1 };
      expect(await conversations.changeAttribute(conversation.id, change)).toBe("changed");
      writes += 1;
    }
  });
  const attributes = await withTarget(
    async ({ conversations }) => (await conversations.get(conversation.id))?.attributes,
  );
  expect(writes).toBeGreaterThan(10);
  expect(attributes).toMatchObject({ visits: writes, openai_thread_id: "thread_1", seed_wati: {} });
});

test("thousands of rows of one customer are moved as they are answered, and noted in little", async () => {
  const rows = rowsOf("50370000001", 4_500);
  threadStore(source, { buffer: rows }).close();
  const texts: string[] = [];
  let left = rows.length;
  for (const staged of [2_000, 2_000, 500]) {
    const { code, json } = await migrate(source);
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
  const [conversation] = await withTarget(
    async ({ inspector }) => (await inspector.conversations({ limit: 10 })).items,
  );
  expect(JSON.stringify(conversation?.attributes).length).toBeLessThan(6_000);
  expect((await migrate(source)).json).toMatchObject({ staged: 0, before: 4_500, left: [] });
}, 120_000);
