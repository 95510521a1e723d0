import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, test, vi } from "vitest";
import { wati } from "../../src/channels/wati/index.ts";
import { isoOf } from "../../src/core/instant.ts";
import { testContext, testRequest } from "../../src/testing/channel-context.ts";
import { botFolder } from "./bot-folder.ts";
import { threadStore } from "./thread-store.ts";
import { takeAllTurns } from "./turns.ts";

const bot = botFolder();

const migrate = (...more: string[]) => bot.lull(["migrate", "seed-wati", bot.source, "--json", ...more]);

const BURST = [
  { waId: "50370000001", text: "Quiero reservar", at: "2026-01-01 10:00:05" },
  { waId: "50370000001", text: "Hola", at: "2026-01-01 10:00:00" },
  { waId: "50370000002", text: "ok", at: "2026-01-01 10:00:00" },
  { waId: "50370000002", text: "ok", at: "2026-01-01 10:00:00" },
];

describe("lull migrate seed-wati", () => {
  test("shows what it would do, and makes neither a database nor a change", async () => {
    threadStore(bot.source, {
      threads: [{ waId: "50370000001", threadId: "thread_1" }],
      buffer: BURST,
    }).close();
    const before = createHash("sha256")
      .update(await readFile(bot.source))
      .digest("hex");
    const { code, json } = await migrate();
    expect([code, json]).toMatchObject([0, { dry_run: true, created: 2, staged: 4, left: [], junk: [] }]);
    expect(await readdir(bot.cwd)).toEqual(["thread_store.db"]);
    await migrate("--apply");
    expect(
      createHash("sha256")
        .update(await readFile(bot.source))
        .digest("hex"),
    ).toBe(before);
  });

  test("gives every buffered message its turn, oldest first, in a conversation with its thread", async () => {
    threadStore(bot.source, {
      threads: [{ waId: "50370000001", threadId: "thread_1" }],
      buffer: BURST,
    }).close();
    expect((await migrate("--apply")).json).toMatchObject({ created: 2, staged: 4, duplicates: 0 });
    await bot.withTarget(async (engine) => {
      const turns = await takeAllTurns(engine);
      expect(turns.map(({ texts }) => texts)).toEqual(
        expect.arrayContaining([
          ["Hola", "Quiero reservar"],
          ["ok", "ok"],
        ]),
      );
      expect(turns).toHaveLength(2);
      const { items } = await engine.inspector.conversations({ limit: 10 });
      const first = items.find(({ sender }) => sender === "50370000001")!;
      expect(first).toMatchObject({ channelType: "whatsapp", address: "15550100" });
      expect(first.attributes.openai_thread_id).toBe("thread_1");
    });
  });

  test("run again it finds everything done, before the turns and after", async () => {
    threadStore(bot.source, { buffer: BURST }).close();
    await migrate("--apply");
    expect((await migrate("--apply")).json).toMatchObject({ known: 2, staged: 0, before: 4 });
    await bot.withTarget(async (engine) => expect(await takeAllTurns(engine)).toHaveLength(2));
    expect((await migrate("--apply")).json).toMatchObject({ staged: 0, before: 4 });
    await bot.withTarget(async (engine) => expect(await takeAllTurns(engine)).toHaveLength(0));
  });

  test("run again when ids are forgotten and tasks complete, it moves nothing twice", async () => {
    threadStore(bot.source, { buffer: BURST }).close();
    await migrate("--apply");
    await bot.withTarget(async (engine) => {
      for (const { conversationId } of await takeAllTurns(engine))
        await engine.conversations.change(conversationId, { taskComplete: true });
    });
    const database = new DatabaseSync(join(bot.cwd, "lull.db"));
    database.exec("DELETE FROM remembered");
    database.close();
    expect((await migrate("--apply")).json).toMatchObject({ staged: 0, before: 4, created: 0 });
  });

  test("takes a new row of a customer whom it has moved before", async () => {
    const database = threadStore(bot.source, { buffer: BURST });
    await migrate("--apply");
    database.exec(
      "INSERT INTO message_buffer (wa_id, message_type, content) VALUES ('50370000001', 'text', 'Gracias')",
    );
    database.close();
    expect((await migrate("--apply")).json).toMatchObject({ staged: 1, before: 4 });
  });

  test("the old file brings an erased person back, and their messages once ids are forgotten", async () => {
    threadStore(bot.source, {
      threads: [{ waId: "50370000001", threadId: "thread_1" }],
      buffer: BURST.slice(0, 2),
    }).close();
    await migrate("--apply");
    const people = () =>
      bot.withTarget(async (engine) => {
        await takeAllTurns(engine);
        return (await engine.inspector.conversations({ limit: 10 })).items;
      });
    const [{ id } = { id: "" }] = await people();
    expect((await bot.lull(["conversations", "erase", id, "--yes"])).code).toBe(0);
    expect(await people()).toEqual([]);
    expect((await migrate("--apply")).json).toMatchObject({ created: 1, staged: 0, duplicates: 2 });
    const [again] = await people();
    expect(again).toMatchObject({ sender: "50370000001", attributes: { openai_thread_id: "thread_1" } });
    await bot.lull(["conversations", "erase", again!.id, "--yes"]);
    const database = new DatabaseSync(join(bot.cwd, "lull.db"));
    database.exec("DELETE FROM remembered");
    database.close();
    expect((await migrate("--apply")).json).toMatchObject({ created: 1, staged: 2 });
  });

  test("leaves what is older than --newer-than, in every run, and says in the look what is old", async () => {
    threadStore(bot.source, {
      buffer: [...BURST, { waId: "50370000001", text: "Hola?", at: isoOf(Date.now() - 60_000) }],
    }).close();
    const look = await bot.lull(["migrate", "seed-wati", bot.source]);
    expect(look.text).toMatch(
      /4 messages came in more than a day ago, the oldest \d+ \w+ ago: they would be/,
    );
    expect((await migrate()).json).toMatchObject({ staged: 5, old: { count: 4 } });
    expect((await migrate("--newer-than", "1d")).json).toMatchObject({ staged: 1, old: { count: 0 } });
    const { code, json } = await migrate("--apply", "--newer-than", "1d");
    expect([code, json]).toMatchObject([1, { staged: 1, before: 0 }]);
    expect(json).toMatchObject({ left: Array(4).fill({ why: "it is older than --newer-than" }) });
    expect((await migrate("--apply", "--newer-than", "1d")).json).toMatchObject({ staged: 0, before: 1 });
    await bot.withTarget(async (engine) =>
      expect((await takeAllTurns(engine)).map(({ texts }) => texts)).toEqual([["Hola?"]]),
    );
    expect((await migrate("--apply")).json).toMatchObject({ staged: 4, before: 1, left: [] });
  });

  test("the way back after --newer-than deletes all that was moved of one with many rows", async () => {
    const at = (minutes: number, n: number) => isoOf(Date.now() - minutes * 60_000 + n);
    const row = (text: string, minutes: number) => (_: unknown, n: number) => ({
      ...{ waId: "50370000001", text: `${text} ${n}` },
      at: at(minutes, n),
    });
    const old = Array.from({ length: 5 }, row("old", 3_000));
    const database = threadStore(bot.source, {
      buffer: [...old, ...Array.from({ length: 250 }, row("new", 60))],
    });
    expect((await migrate("--apply", "--newer-than", "1d")).json).toMatchObject({ staged: 250 });
    const again = await migrate("--apply", "--newer-than", "1d");
    expect(again.json).toMatchObject({ staged: 0, duplicates: 0, before: 250 });
    const sql = await bot.lull(["migrate", "seed-wati", bot.source, "--print-delete", "--newer-than", "1d"]);
    database.exec(sql.text);
    expect(database.prepare("SELECT content FROM message_buffer").all()).toEqual(
      old.map(({ text }) => ({ content: text })),
    );
    database.close();
    expect((await migrate("--apply")).json).toMatchObject({ staged: 5, before: 0 });
  });

  test("a new row whose time cannot be read is not taken for one that said the same", async () => {
    const database = threadStore(bot.source, {
      buffer: [{ waId: "50370000001", text: "ok", at: "at noon" }],
    });
    expect((await migrate("--apply")).json).toMatchObject({ staged: 1 });
    database.exec("UPDATE message_buffer SET timestamp = 'at one'");
    database.close();
    expect((await migrate("--apply")).json).toMatchObject({ staged: 1, before: 0 });
    expect((await migrate("--apply")).json).toMatchObject({ staged: 0, before: 1 });
  });

  test.each(["soon", "-1d", "2026-01-01"])("refuses --newer-than %s", async (age) => {
    threadStore(bot.source, { buffer: BURST }).close();
    const { code, stderr } = await bot.lull(["migrate", "seed-wati", bot.source, `--newer-than=${age}`]);
    expect([code, stderr]).toMatchObject([2, expect.stringContaining("--newer-than must be an age such as")]);
  });

  test("leaves what may have been answered before ids were remembered, unless told otherwise", async () => {
    threadStore(bot.source, { buffer: BURST.slice(0, 2) }).close();
    await bot.withTarget((engine) =>
      engine.conversations.create({ channelType: "whatsapp", address: "15550100", sender: "50370000001" }),
    );
    const { code, json } = await migrate("--apply");
    expect([code, json]).toMatchObject([1, { staged: 0, left: [{ wa_id: "50370000001" }, {}] }]);
    expect((await migrate("--apply", "--beyond-memory")).json).toMatchObject({ staged: 2, left: [] });
  });

  test("says which rows it cannot read, where they are, and moves the others", async () => {
    const database = threadStore(bot.source, {
      buffer: [...BURST, { waId: "2555928227777606", text: "hi", at: "2026-01-01 10:00:00" }],
    });
    database.exec(`INSERT INTO message_buffer VALUES ('50370000003', 'text', x'00ff', NULL, NULL, 'soon');
      INSERT INTO threads (wa_id, thread_id) VALUES ('nobody', 'thread_9');
      INSERT INTO processing_lock VALUES ('50370000009', datetime('now', '-15 minutes'), 99999)`);
    database.close();
    const { code, json } = await migrate("--apply");
    expect(code).toBe(1);
    expect(json).toMatchObject({ staged: 4, read: { locks: 1 } });
    expect(json.junk).toEqual([
      { table: "threads", row: 1, why: "wa_id is no telephone number", wa_id: "nobody" },
      {
        table: "message_buffer",
        row: 5,
        why: "wa_id is no telephone number",
        wa_id: "2555928227777606",
      },
      { table: "message_buffer", row: 6, why: "content is no text", wa_id: "50370000003" },
    ]);
  });

  test("counts all that is in the file, and says whose rows are left", async () => {
    const numbers = ["50370000001", "50370000002", "fb:12345"];
    threadStore(bot.source, {
      threads: numbers.map((waId) => ({ waId, threadId: `thread_${waId}` })),
      buffer: numbers.map((waId) => ({ waId, text: "Hola", at: "2026-01-01 10:00:00" })),
    }).close();
    const { json } = await migrate();
    expect(json.read).toMatchObject({ threads: 3, messages: 3, without_number: 2, customers: 2 });
    const { text } = await bot.lull(["migrate", "seed-wati", bot.source]);
    for (const line of [
      /^threads in the file +3$/m,
      /^buffered messages +3$/m,
      /^threads left +1$/m,
      /^messages would be staged, at most +2$/m,
      /^messages left +1$/m,
      /^message_buffer +3 +fb:12345 /m,
    ])
      expect(text).toMatch(line);
  });

  test("finds rows as SQL does, and its counts add up, with what cannot be read in them", async () => {
    const database = threadStore(bot.source, {
      threads: ["50370000001", "+50370000001", "nobody"].map((waId) => ({ waId, threadId: `t_${waId}` })),
      buffer: BURST,
    });
    database.exec(`UPDATE message_buffer SET rowid = rowid + 48000;
      INSERT INTO message_buffer (rowid, wa_id, message_type, content)
        VALUES (50000, '50370000007', 'text', '')`);
    database.close();
    const { json } = await migrate("--apply");
    expect(json).toMatchObject({ staged: 4, read: { threads: 3, merged: 1, messages: 5 } });
    expect(json.junk).toContainEqual({
      table: "message_buffer",
      row: 50_000,
      why: "content is no text",
      wa_id: "50370000007",
    });
    const { text } = await bot.lull(["migrate", "seed-wati", bot.source, "--apply"]);
    const counts = Object.fromEntries(
      [...text.matchAll(/^(\S.*?) {2,}(\d+)$/gm)].map((m) => [m[1], Number(m[2])]),
    );
    expect(counts).toMatchObject({
      "threads in the file": 3,
      "threads left": 1,
      "threads of a number that has another": 1,
      "buffered messages": 5,
      "messages staged": 0,
      "messages staged or answered before": 4,
      "messages left": 1,
    });
  });

  test("says what comes next, and that a look counts no remembered ids", async () => {
    threadStore(bot.source, { buffer: BURST }).close();
    const look = await bot.lull(["migrate", "seed-wati", bot.source]);
    expect(look.text).toMatch(/^messages would be staged, at most +4$/m);
    expect(look.text).toMatch(/To do it, once the bot is stopped: --apply$/);
    const done = await bot.lull(["migrate", "seed-wati", bot.source, "--apply"]);
    expect(done.text).toMatch(/Next: .*--print-delete > moved\.sql.*lull resume/);
  });

  test("without a channel of WATI's it names the variables that make one", async () => {
    threadStore(bot.source, { buffer: BURST }).close();
    for (const name of ["WATI_API_URL", "WATI_TOKEN", "WATI_WEBHOOK_SECRET", "WATI_NUMBERS"])
      vi.stubEnv(name, undefined);
    const { code, stderr } = await migrate();
    expect(code).toBe(1);
    expect(stderr).toMatch(
      /no channel is WATI's: set WATI_API_URL, WATI_TOKEN, WATI_WEBHOOK_SECRET and WATI_NUMBERS/,
    );
  });

  test("says what the file lacks", async () => {
    const database = new DatabaseSync(bot.source);
    database.exec("CREATE TABLE message_buffer (wa_id TEXT, body TEXT)");
    database.close();
    const { code, text } = await bot.lull(["migrate", "seed-wati", bot.source]);
    expect(code).toBe(0);
    expect(text).toContain("The file: there is no table threads.");
    expect(text).toContain("The file: table message_buffer has no column content.");
  });

  test.each([
    ["no file", ["migrate", "seed-wati", "none.db"], 1, /there is no file/],
    ["a file that is no database", ["migrate", "seed-wati", "/etc/hostname"], 1, /cannot read/],
    ["both at once", ["migrate", "seed-wati", "x", "--apply", "--dry-run"], 2, /which of the two/],
    ["the way back at once", ["migrate", "seed-wati", "x", "--apply", "--print-delete"], 2, /which of the/],
    [
      "another channel",
      ["migrate", "seed-wati", "SOURCE", "--channel", "nope"],
      2,
      /there is no channel nope/,
    ],
  ])("%s is one line and an exit code", async (_, args, code, said) => {
    threadStore(bot.source, {}).close();
    const result = await bot.lull(args.map((each) => each.replace("SOURCE", bot.source)));
    expect(result.code).toBe(code);
    expect(result.stderr).toMatch(said);
  });

  test("columns in capitals are the same columns, and end with 0", async () => {
    const database = new DatabaseSync(bot.source);
    database.exec(`CREATE TABLE Threads (WA_ID TEXT, Thread_Id TEXT);
      INSERT INTO Threads VALUES ('50370000001', 'thread_1');
      CREATE TABLE Message_Buffer (WA_ID TEXT, Message_Type TEXT, CONTENT TEXT, Timestamp TEXT);
      INSERT INTO Message_Buffer VALUES ('50370000001', 'text', 'Hola', '2026-01-01 10:00:00');
      CREATE TABLE Processing_Lock (WA_ID TEXT)`);
    database.close();
    expect(await migrate("--apply")).toMatchObject({ code: 0, json: { lacks: [], created: 1, staged: 1 } });
  });

  test("a channel that names no number is asked for it, since webhooks name theirs", async () => {
    threadStore(bot.source, { buffer: BURST }).close();
    vi.stubEnv("WATI_NUMBERS", "");
    for (const more of [[], ["--apply"]]) {
      const { code, text, stderr } = await migrate(...more);
      expect([code, text]).toEqual([1, ""]);
      expect(stderr.trim().split("\n")).toEqual([expect.stringMatching(/WATI_NUMBERS.*--address/)]);
    }
    expect(await readdir(bot.cwd)).not.toContain("lull.db");
    expect(await migrate("--apply", "--address", "+15550100")).toMatchObject({
      code: 0,
      json: { staged: 4 },
    });
    const webhook = { eventType: "message", id: "1", waId: "50370000001", channelPhoneNumber: "15550100" };
    const channel = wati();
    channel.open?.(testContext());
    const parsed = channel.parse(testRequest("https://bot.example.com/", JSON.stringify(webhook)));
    expect(parsed).toMatchObject({ messages: [{ address: "15550100" }] });
    await bot.withTarget(async ({ inspector }) => {
      const { items } = await inspector.conversations({ limit: 10 });
      expect(items.map(({ address }) => address)).toEqual(["15550100", "15550100"]);
    });
  });

  test("of several numbers, the one must be said whose customers they are", async () => {
    threadStore(bot.source, { buffer: BURST }).close();
    vi.stubEnv("WATI_NUMBERS", "15550100,15550101");
    expect(await migrate()).toMatchObject({ code: 2, stderr: expect.stringContaining("--address") });
    expect(await migrate("--address", "15550109")).toMatchObject({ code: 2 });
    expect(await migrate("--address", "15550101")).toMatchObject({ code: 0, json: { staged: 4 } });
  });

  test("what it prints for the way back names times of any kind", async () => {
    const database = threadStore(bot.source, { buffer: BURST });
    database.exec(`INSERT INTO message_buffer (wa_id, message_type, content, timestamp)
      SELECT '50370000001', 'text', 'odd', column1
      FROM (VALUES (NULL), (7), (1767225600.123), (9e999), (x'00ff'), (char(65, 0, 66)), ('it''s'))`);
    await migrate("--apply");
    database.exec((await bot.lull(["migrate", "seed-wati", bot.source, "--print-delete"])).text);
    expect(database.prepare("SELECT timestamp FROM message_buffer").all()).toEqual([]);
    database.close();
  });

  test("what it prints for the way back deletes what was moved, and nothing else", async () => {
    const database = threadStore(bot.source, { buffer: BURST });
    const statements = async () =>
      (await bot.lull(["migrate", "seed-wati", bot.source, "--print-delete"])).text;
    expect(await statements()).toBe("");
    await migrate("--apply");
    database.exec(`DELETE FROM message_buffer WHERE content = 'Hola';
      INSERT INTO message_buffer (rowid, wa_id, message_type, content)
        VALUES (2, '50370000001', 'text', 'new');
      INSERT INTO message_buffer (wa_id, message_type, content) VALUES ('50370000003', 'text', 'new, too')`);
    const sql = await statements();
    expect(sql).not.toContain("reservar");
    database.exec(sql);
    expect(database.prepare("SELECT content FROM message_buffer").all()).toEqual([
      { content: "new" },
      { content: "new, too" },
    ]);
    database.close();
    const { code, json, stderr } = await migrate("--print-delete");
    expect([code, json]).toEqual([0, { statements: [] }]);
    expect(stderr).toContain("that were moved: 0; others, which stay: 2");
  });

  test("it is one statement, so all of it or nothing, and a time that is no number breaks none", async () => {
    const database = threadStore(bot.source, { buffer: BURST });
    database.exec(`INSERT INTO message_buffer (wa_id, message_type, content, timestamp)
      VALUES ('50370000009', 'text', 'when?', 9e999)`);
    await migrate("--apply");
    const { json } = await migrate("--print-delete");
    const { statements } = json as { statements: string[] };
    expect(statements).toHaveLength(1);
    const { changes } = database.prepare(statements[0]!).run();
    expect(changes).toBe(5);
    expect(database.prepare("SELECT count(*) AS n FROM message_buffer").get()).toEqual({ n: 0 });
    database.close();
  });

  test("its group shows what there is", async () => {
    const { code, text } = await bot.lull(["migrate"]);
    expect(code).toBe(0);
    expect(text).toContain("seed-aws");
    expect(text).toContain("seed-wati");
  });
});
