import { join } from "node:path";
import { GetItemCommand, UpdateTableCommand, UpdateTimeToLiveCommand } from "@aws-sdk/client-dynamodb";
import { marshall, NumberValueImpl, unmarshall } from "@aws-sdk/util-dynamodb";
import { expect, it, vi } from "vitest";
import { aws } from "../../src/engines/aws/index.ts";
import { threadStore } from "../migrate/thread-store.ts";
import { openEngine, takeAllTurns } from "../migrate/turns.ts";
import { describeOnEmulators } from "./describe-on-emulators.ts";
import { ACCOUNT, LONG_AGO, movingIn } from "./moving-in.ts";

const WATI = {
  WATI_API_URL: "https://wati.example/7001",
  WATI_TOKEN: "token",
  WATI_WEBHOOK_SECRET: "secret",
  WATI_NUMBERS: "15550101",
  LULL_WINDOW_SECONDS: "0",
};
const sidOf = (n: number) => `SM${n.toString(16).padStart(32, "0")}`;
const MANY_DIGITS = NumberValueImpl.from("1767225600.1234567890123456789");

describeOnEmulators("lull migrate on AWS", (emulators) => {
  const on = movingIn(emulators, WATI);
  const { put, createSeedTable } = on;
  const lull = (...args: string[]) => on.lull(...args, "--json");
  const inWords = async (...args: string[]) => (await on.lull(...args)).out;
  const migrate = (...more: string[]) => lull("migrate", "seed-aws", ...more);

  const conversation = (n: number, more = {}) =>
    put("conversations", {
      primary_channel: `+1555011${n}`,
      conversation_id: `conv-${n}`,
      task_complete: 0,
      channel_type: "whatsapp",
      channel_config: { whatsapp_sender: "whatsapp:+15550100" },
      conversation_status: "initial_message_sent",
      openai_thread_id: `thread_${n}`,
      messages: [{ role: "user", body: "before", message_sid: "SM0" }],
      updated_at: "2026-01-01T00:00:00Z",
      ...more,
    });

  const staged = (n: number, sid: number, body: string, more = {}) =>
    put("conversations-stage", {
      conversation_id: `conv-${n}`,
      message_sid: sidOf(sid),
      primary_channel: `+1555011${n}`,
      body,
      received_at: LONG_AGO + sid,
      ...more,
    });

  async function turns() {
    const { queues } = on.at;
    const engine = await openEngine(aws({ queues, waitSeconds: 1 }));
    try {
      return { turns: await takeAllTurns(engine), history: await engine.conversations.history("conv-1", 9) };
    } finally {
      await engine.close();
    }
  }

  it("seed-aws moves what waits, in every form, and each gets one turn with its history", async () => {
    await createSeedTable("Holding", { key: "arrival_timestamp" });
    await createSeedTable("ConversationBatchState");
    for (const n of [1, 2]) await conversation(n, n === 2 ? { conversation_status: "processing_reply" } : {});
    await staged(1, 1, "one");
    await staged(1, 2, "two", { received_at: "2026-01-01T00:00:02" });
    await put("Holding", {
      conversation_id: "conv-2",
      arrival_timestamp: "2026-01-01T00:00:01Z",
      target_queue_url: "https://sqs.example/queue",
      context_object: {
        from: "whatsapp:+15550112",
        to: "whatsapp:+15550100",
        message_sid: sidOf(3),
        account_sid: ACCOUNT,
        body: "three",
      },
    });
    await put("conversations-trigger-lock", { conversation_id: "conv-1", expires_at: LONG_AGO });
    await put("ConversationBatchState", { conversation_id: "conv-2", expires_at: LONG_AGO });
    const names = ["--holding-table", `${on.at.prefix}Holding`];
    names.push("--batch-state-table", `${on.at.prefix}ConversationBatchState`, "--older-than", "0s");
    const shown = await migrate(...names);
    expect(shown).toMatchObject({
      code: 0,
      json: { dry_run: true, lacks: [], messages: { moved: 3 }, locks: { found: 2, removed: 2 } },
    });
    const done = await migrate(...names, "--apply");
    expect(done, done.stderr).toMatchObject({
      code: 0,
      json: {
        messages: { found: 3, moved: 3 },
        locks: { found: 2, removed: 2 },
        conversations: { found: 2, threads: 2, stuck: 1, rested: 1 },
        left: [],
      },
    });
    const again = await migrate(...names, "--apply");
    expect(again).toMatchObject({ code: 0, json: { messages: { found: 0, moved: 0 } } });
    const { turns: taken, history } = await turns();
    expect(taken.map(({ texts }) => texts).sort()).toEqual([["one", "two"], ["three"]]);
    expect(history.map(({ text }) => text)).toEqual(["before", "one\ntwo"]);
    expect((await lull("quarantine")).json.items).toEqual([]);
  });

  it("seed-aws lists what it cannot move, and ends with 1", async () => {
    await conversation(1);
    await staged(1, 1, "one");
    const received_at = LONG_AGO;
    await put("conversations-stage", {
      conversation_id: "conv-1",
      message_sid: "x",
      body: "hi",
      received_at,
    });
    await put("conversations-stage", {
      conversation_id: "conv-9",
      message_sid: sidOf(9),
      body: "?",
      received_at,
    });
    // Which are here already is looked at when they are moved.
    expect(await inWords("migrate", "seed-aws")).toMatch(/messages would be moved, at most +1$/m);
    expect(await migrate("--channel", "none")).toMatchObject({ code: 2, json: undefined });
    const { code, json } = await migrate("--apply");
    expect(code).toBe(1);
    expect(json.messages).toMatchObject({ found: 3, moved: 1 });
    expect(json.left.map(({ why }: { why: string }) => why).sort()).toEqual([
      "MessageSid is not the id of a message",
      "there is no row of this conversation in the table of conversations",
    ]);
  });

  it.each<[string, Record<string, unknown>, string]>([
    ["a customer that is no key", { primary_channel: "x".repeat(2_100) }, "there is no row of this"],
    ["a conversation that is no key", { conversation_id: "c".repeat(1_500) }, "there is no row of this"],
    ["an account that fits into no key", { account_sid: "x".repeat(1_100) }, "it is too large, or a name"],
  ])("seed-aws lists a message with %s, and moves the others", async (_, odd, why) => {
    await conversation(1);
    await staged(1, 1, "one");
    await staged(2, 2, "two", {
      ...odd,
      ...(odd.account_sid !== undefined && { conversation_id: "conv-1" }),
    });
    await staged(1, 3, "three");
    expect(await migrate("--older-than", "0s")).toMatchObject({ code: 0 });
    const { code, json, stderr } = await migrate("--apply", "--older-than", "0s");
    expect([code, json?.messages], stderr).toMatchObject([1, { found: 3, moved: 2 }]);
    expect(json.left).toMatchObject([{ table: "stage", why: expect.stringContaining(why) }]);
  });

  it("a customer who was moved is found by number; an empty list says where to look", async () => {
    await conversation(1);
    await staged(1, 1, "one");
    const found = async () => (await lull("conversations", "--search", "5550111")).json.items;
    expect(await found()).toEqual([]);
    await migrate("--apply");
    expect(await found()).toMatchObject([{ id: "conv-1" }]);
    // Its owner writes the whole row anew, as it knows it.
    await conversation(1);
    expect(await inWords("conversations")).toMatch(/^No conversations\. .*lull locks/);
  });

  it("seed-aws goes on where times have more digits than a number can hold here", async () => {
    await conversation(1, { conversation_status: "processing_reply", updated_at: MANY_DIGITS });
    await staged(1, 1, "one", { received_at: MANY_DIGITS });
    await put("conversations-trigger-lock", { conversation_id: "conv-1", expires_at: MANY_DIGITS });
    const young = { messages: { moved: 0, young: 1 }, locks: { removed: 1 }, conversations: { young: 1 } };
    expect(await migrate("--apply")).toMatchObject({ code: 1, json: young });
    const done = await migrate("--apply", "--older-than", "0s");
    expect(done, done.stderr).toMatchObject({
      code: 0,
      json: { messages: { moved: 1 }, conversations: { rested: 1 }, left: [] },
    });
  });

  it("a message that seed-aws could move is not dropped from the quarantine by mistake", async () => {
    await conversation(1);
    await staged(1, 1, "one");
    await staged(1, 2, "two", { body: undefined, context_object: { body: "two" } });
    await staged(1, 3, "three", { body: 3 });
    await put("conversations-trigger-lock", { conversation_id: "conv-1", expires_at: LONG_AGO });
    const items: { id: string; movable?: boolean }[] = (await lull("quarantine")).json.items;
    expect(items.map(({ movable }) => movable)).toEqual([true, true, undefined, undefined]);
    expect((await on.lull("status", "--port", "0")).out).toMatch(/^set aside +4 rows: lull quarantine$/m);
    for (const command of ["status", "locks"]) expect((await on.lull(command)).stderr).toBe("");
    const listed = await inWords("quarantine");
    expect(listed.match(/lull migrate seed-aws moves it, or lists why it stays/g)).toHaveLength(2);
    const shown = await inWords("conversations", "show", "conv-1");
    expect(shown).toMatch(/^\d+ d ago, a message that another system staged\n {2}wrote: one$/m);
    expect(shown).toMatch(/^ {2}wrote: two\n {2}it is not answered before .*lull migrate seed-aws moves it/m);
    expect(await inWords("conversations", "--search", "0100")).toMatch(/4 rows .*: lull quarantine$/);
    expect(await lull("quarantine", "discard", "--all")).toMatchObject({ code: 2 });
    // What stands before the dot is enough.
    const ids = items.map(({ id }) => id.split(".")[0]!);
    const { code, json } = await lull("quarantine", "discard", ...ids);
    expect(code).toBe(1);
    expect(json.results.map(({ result }: { result: string }) => result)).toEqual([
      ...["movable", "movable"],
      ...["discarded", "discarded"],
    ]);
    expect((await migrate()).json).toMatchObject({ messages: { found: 2, moved: 2 } });
    expect(await lull("quarantine", "discard", ids[0]!, "--seed-rows")).toMatchObject({ code: 0 });
    expect((await migrate()).json).toMatchObject({ messages: { found: 1 } });
  });

  it("seed-aws shows missing tables and indexes with their commands, and adds them if it may", async () => {
    const { dynamodb } = on;
    const TableName = `${on.at.prefix}conversations`;
    await dynamodb.send(
      new UpdateTableCommand({
        TableName,
        GlobalSecondaryIndexUpdates: [{ Delete: { IndexName: "by-conversation-id" } }],
      }),
    );
    await dynamodb.send(
      new UpdateTimeToLiveCommand({
        TableName: `${on.at.prefix}conversations-stage`,
        TimeToLiveSpecification: { Enabled: true, AttributeName: "expires_at" },
      }),
    );
    vi.stubEnv("LULL_TABLE_SEEN", `${on.at.prefix}not-there`);
    await conversation(1);
    await staged(1, 1, "one");
    await staged(9, 9, "whose?");
    const { code, json, stderr } = await migrate();
    expect(code, stderr).toBe(0);
    expect(json.lacks.map(({ table, what }: Record<string, string>) => [table, what])).toEqual([
      [TableName, "lacks the index by-conversation-id"],
      [
        `${on.at.prefix}conversations-stage`,
        "expires its rows (TTL): messages would go before they are answered",
      ],
      [`${on.at.prefix}not-there`, "is missing"],
    ]);
    const commands = json.lacks.map(({ command }: Record<string, string>) => command);
    for (const [n, action] of ["update-table", "update-time-to-live", "create-table"].entries())
      expect(commands[n]).toMatch(new RegExp(`^aws dynamodb ${action} `));
    expect(json.left).toMatchObject([
      { why: expect.stringMatching(/^its conversation cannot be looked up before/) },
    ]);
    expect(json.notes).toMatchObject([
      expect.stringMatching(/^1 message came in more than a day ago, the oldest \d+ d ago: /),
      expect.stringMatching(/^admission is open over whatsapp, wati: /),
    ]);
    const refused = await migrate("--apply");
    expect(refused).toMatchObject({ code: 1, json: { lacks: [{}, {}, {}] } });
    const made = await migrate("--apply", "--create");
    expect(made, made.stderr).toMatchObject({ code: 1, json: { lacks: [], messages: { moved: 1 } } });
    const why = expect.stringMatching(/^there is no row of this conversation/);
    expect(made.json.left).toMatchObject([{ conversation_id: "conv-9", why }]);
    Object.assign(on.at.env, { LULL_ADMISSION: "known" });
    expect((await migrate()).json.notes).toEqual([]);
    Object.assign(on.at.env, { LULL_ADMISSION: "open" });
  });

  it("seed-aws says so on another engine, and refuses what makes no sense", async () => {
    vi.stubEnv("LULL_ENGINE", "");
    const env = { LULL_ENGINE: "sqlite" };
    Object.assign(on.at.env, env);
    expect(await migrate()).toMatchObject({ code: 1, stderr: expect.stringContaining("LULL_ENGINE=aws") });
    Object.assign(on.at.env, { LULL_ENGINE: "aws" });
    expect(await migrate("--create")).toMatchObject({ code: 2 });
    expect(await migrate("--older-than", "soon")).toMatchObject({ code: 2 });
  });

  it("seed-wati moves a bot's file into DynamoDB, once", async () => {
    const file = join(on.cwd, "thread_store.db");
    threadStore(file, {
      threads: [{ waId: "50370000001", threadId: "thread_1" }],
      buffer: [
        { waId: "50370000001", text: "Hola", at: "2026-01-01 10:00:00" },
        { waId: "50370000001", text: "Quiero reservar", at: "2026-01-01 10:00:05" },
      ],
    }).close();
    expect((await lull("migrate", "seed-wati", file)).json).toMatchObject({ dry_run: true, staged: 2 });
    const done = await lull("migrate", "seed-wati", file, "--apply");
    expect(done, done.stderr).toMatchObject({ code: 0, json: { created: 1, staged: 2 } });
    expect((await lull("migrate", "seed-wati", file, "--apply")).json).toMatchObject({
      staged: 0,
      before: 2,
    });
    const { turns: taken } = await turns();
    expect(taken.map(({ texts }) => texts)).toEqual([["Hola", "Quiero reservar"]]);
  });

  it("seed-wati notes hundreds of rows in little, and leaves the row's owner what is theirs", async () => {
    const file = join(on.cwd, "thread_store.db");
    const waId = "50370000001";
    await put("conversations", {
      primary_channel: waId,
      conversation_id: "conv-7",
      task_complete: 0,
      channel_type: "whatsapp",
      address: "15550101",
      ai_config: { assistant_id_replies: "theirs" },
      created_at: "2026-01-01T00:00:00Z",
    });
    const texts = Array.from({ length: 250 }, (_, n) => `says ${n}`);
    const sent = (n: number) => new Date(Date.UTC(2026, 0, 1) + n * 1_000).toISOString();
    const buffer = texts.map((text, n) => ({ waId, text, at: sent(n) }));
    threadStore(file, { threads: [{ waId, threadId: "thread_1" }], buffer }).close();
    const done = await lull("migrate", "seed-wati", file, "--apply", "--beyond-memory");
    expect(done, done.stderr).toMatchObject({ code: 0, json: { known: 1, staged: 250, left: [] } });
    const again = { staged: 0, before: 250, left: [] };
    expect((await lull("migrate", "seed-wati", file, "--apply")).json).toMatchObject(again);
    const { Item = {} } = await on.dynamodb.send(
      new GetItemCommand({
        TableName: `${on.at.prefix}conversations`,
        Key: marshall({ primary_channel: waId, conversation_id: "conv-7" }),
      }),
    );
    const { attributes, ai_config } = unmarshall(Item);
    expect(ai_config).toEqual({ assistant_id_replies: "theirs" });
    expect(Object.keys(attributes).sort()).toEqual(["openai_thread_id", "seed_wati"]);
    expect(JSON.stringify(attributes).length).toBeLessThan(6_000);
    expect((await turns()).turns.flatMap((turn) => turn.texts)).toEqual(texts);
  });
});
