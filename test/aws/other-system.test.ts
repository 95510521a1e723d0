import assert from "node:assert/strict";
import { type DynamoDBClient, GetItemCommand, UpdateItemCommand } from "@aws-sdk/client-dynamodb";
import { marshall } from "@aws-sdk/util-dynamodb";
import { afterEach, beforeEach, it } from "vitest";
import type { GivenSettings } from "../../src/model/settings.ts";
import type { Taken } from "../../src/model/take.ts";
import { allSent, as, draftFor, replied, silent } from "../../src/testing/engine-contract/builders.ts";
import type { Emulators } from "../../tools/aws-local/emulators.ts";
import { describeOnEmulators } from "./describe-on-emulators.ts";
import { type Row, SharedTables } from "./shared-tables.ts";

const ID = "8d1f6c3e-conversation";
const KEY = { primary_channel: "ana", conversation_id: ID };

/** As the other system writes one: of some fields we know nothing. */
const full = {
  task_complete: 0,
  project_status: "active",
  conversation_status: "initial_message_sent",
  allowed_channels: ["test", "email"],
  channel_type: "test",
  channel_config: { whatsapp_credentials_id: "secret/whatsapp", sender: "whatsapp:lull" },
  ai_config: { ai_api_key_reference: "secret/ai", assistant_id_replies: "asst_1" },
  openai_thread_id: "thread_1",
  hand_off_to_human: false,
  created_at: "2025-12-31T10:00:00.000Z",
  crm_reference: { owner: "eva", score: 7 },
};

/** How many transactions are asked for from now on. */
function countedCommits({ middlewareStack }: DynamoDBClient): () => number {
  let count = 0;
  middlewareStack.add(
    (next, { commandName }) =>
      (args) => {
        if (commandName === "TransactWriteItemsCommand") count += 1;
        return next(args);
      },
    { step: "initialize", name: "countedCommits", override: true },
  );
  return () => count;
}

/** Shared tables for each case, and the other system's conversation in them. */
function otherSystem(emulators: Emulators, settings: Partial<GivenSettings> = {}) {
  let at: SharedTables;
  beforeEach(async () => {
    at = await SharedTables.open(emulators, { admission: "known", ...settings });
  });
  afterEach(() => at.close());
  return {
    get at() {
      return at;
    },
    write: (row: Row = {}) => at.put("conversations", { ...KEY, ...row }),
    row: async () => (await at.get("conversations", KEY)) ?? {},
    async taken(): Promise<Taken> {
      as("staged", await at.receive());
      return at.turnInTime();
    },
  };
}

describeOnEmulators("conversations that another system writes", (emulators) => {
  const other = otherSystem(emulators);

  it("are found and answered, and what we do not know of them survives our writes", async () => {
    await other.write(full);
    const turn = await other.taken();
    assert.equal(turn.conversation.id, ID);
    assert.deepEqual(turn.conversation.attributes.ai_config, full.ai_config);
    assert.equal((await other.row()).conversation_status, "processing_reply");
    const draft = draftFor(turn);
    as("drafted", await other.at.engine.turns.draft(turn.lease, draft));
    const usage = { promptTokens: 3, completionTokens: 4, totalTokens: 7 };
    as("committed", await other.at.engine.turns.commit(turn.lease, replied(turn, allSent(draft), { usage })));
    const after = await other.row();
    const { conversation_status, prompt_tokens, completion_tokens, total_tokens, task_complete } = after;
    assert.deepEqual(
      { conversation_status, prompt_tokens, completion_tokens, total_tokens, task_complete },
      {
        conversation_status: "reply_sent",
        prompt_tokens: 3,
        completion_tokens: 4,
        total_tokens: 7,
        task_complete: 0,
      },
    );
    assert.equal(after.last_assistant_message_sid, `out-${turn.turnId}-0`);
    assert.equal(after.updated_at, new Date(other.at.fixture.clock.nowMs()).toISOString());
    assert.equal(typeof after.initial_processing_time_ms, "number");
    for (const name of [
      "crm_reference",
      "channel_config",
      "ai_config",
      "openai_thread_id",
      "created_at",
    ] as const) {
      assert.deepEqual(after[name], full[name]);
    }
    for (const ours of ["lease_token", "draft", "works"]) assert.equal(after[ours], undefined);
  });

  it("may hold next to nothing: what is missing has its default", async () => {
    await other.write();
    const turn = await other.taken();
    const { projectStatus, allowedChannels, taskComplete, handedOff, paused, status } = turn.conversation;
    assert.deepEqual(
      { projectStatus, allowedChannels, taskComplete, handedOff, paused, status },
      {
        projectStatus: "active",
        allowedChannels: undefined,
        taskComplete: false,
        handedOff: false,
        paused: false,
        status: "new",
      },
    );
    as("committed", await other.at.engine.turns.commit(turn.lease, silent(turn)));
    assert.equal((await other.row()).conversation_status, "new");
  });

  it("of another address of ours, or completed, are not this one", async () => {
    await other.write({ ...full, channel_config: { sender: "whatsapp:somewhere else" } });
    assert.equal(as("refused", await other.at.receive()).code, "CONVERSATION_NOT_FOUND");
    await other.write({ ...full, task_complete: 1 });
    assert.equal(as("refused", await other.at.receive()).code, "CONVERSATION_NOT_FOUND");
    await other.write({ ...full, project_status: "archived" });
    assert.equal(as("refused", await other.at.receive()).code, "PROJECT_INACTIVE");
    await other.write({ ...full, allowed_channels: new Set(["email"]) });
    assert.equal(as("refused", await other.at.receive()).code, "CHANNEL_NOT_ALLOWED");
  });

  it("of several, the latest is the one", async () => {
    await other.write(full);
    const later = { ...full, conversation_id: "later", created_at: "2025-12-31T11:00:00.000Z" };
    await other.write(later);
    assert.equal((await other.taken()).conversation.id, "later");
  });
});

describeOnEmulators("conversations that another system keys with the provider's prefix", (emulators) => {
  const other = otherSystem(emulators, {
    channels: { test: { type: "whatsapp", window: { kind: "fixed", lengthMs: 10_000 } } },
  });
  const key = { primary_channel: "whatsapp:+15550100", conversation_id: ID };

  it("are found by the number alone, and their rows are the ones that change", async () => {
    const row = { ...full, ...key, channel_type: "whatsapp", allowed_channels: ["whatsapp"] };
    await other.at.put("conversations", row);
    as("staged", await other.at.receive({ sender: "+15550100" }));
    const turn = await other.at.turnInTime();
    assert.deepEqual([turn.conversation.id, turn.conversation.sender], [ID, "+15550100"]);
    as("committed", await other.at.engine.turns.commit(turn.lease, replied(turn, allSent(draftFor(turn)))));
    assert.equal((await other.at.get("conversations", key))?.conversation_status, "reply_sent");
    assert.equal((await other.at.engine.conversations.get(ID))?.sender, "+15550100");
  });
});

describeOnEmulators("messages that another system kept in its conversations", (emulators) => {
  const other = otherSystem(emulators);

  it("are the history until ours is long enough", async () => {
    const messages = [
      { role: "assistant", body: "Hello Ana", message_sid: "SM1", timestamp: "2025-12-31T10:00:00.000Z" },
      { role: "user", content: "Who are you?", timestamp: 1_767_175_300 },
    ];
    await other.write({ ...full, messages });
    const turn = await other.taken();
    as("committed", await other.at.engine.turns.commit(turn.lease, replied(turn, allSent(draftFor(turn)))));
    const history = await other.at.engine.conversations.history(ID, 10);
    assert.deepEqual(
      history.map(({ role, text }) => [role, text]),
      [
        ["assistant", "Hello Ana"],
        ["user", "Who are you?"],
        ["user", "hi"],
        ["assistant", "ok"],
      ],
    );
    assert.equal(history[0]?.atMs, Date.parse("2025-12-31T10:00:00.000Z"));
    assert.deepEqual((await other.row()).messages, messages);
    assert.equal((await other.at.engine.conversations.history(ID, 2)).length, 2);
    // Cut by bytes, our part is the end of the conversation: nothing older stands before the gap.
    assert.deepEqual(await other.at.engine.conversations.history(ID, 10, 1), history.slice(-1));
    const roomy = await other.at.engine.conversations.history(ID, 10, 100_000);
    assert.deepEqual(roomy, history);
  });
});

describeOnEmulators("messages mirrored in another system's row", (emulators) => {
  const other = otherSystem(emulators, { mirrorMessages: 2 });
  const theirs = {
    role: "assistant",
    body: "Hello Ana",
    message_sid: "SM1",
    timestamp: "2025-12-31T10:00:00.000Z",
    tags: new Set(["first"]),
    score: 0.1,
    nothing: null,
  };
  const answer = async () => {
    const turn = await other.taken();
    const usage = { promptTokens: 3, completionTokens: 4, totalTokens: 7 };
    as(
      "committed",
      await other.at.engine.turns.commit(turn.lease, replied(turn, allSent(draftFor(turn)), { usage })),
    );
    return turn;
  };
  const bodies = async () => ((await other.row()).messages as Row[]).map(({ body }) => body);

  it("stand behind what it wrote there, the newest of ours, and are no second history", async () => {
    await other.write({ ...full, messages: [theirs] });
    await answer();
    const { messages } = await other.row();
    assert.deepEqual((messages as Row[])[0], theirs);
    assert.deepEqual(await bodies(), ["Hello Ana", "hi", "ok"]);
    const { turnId } = await answer();
    assert.deepEqual(await bodies(), ["Hello Ana", "hi", "ok"]);
    const last = ((await other.row()).messages as Row[]).at(-1);
    assert.deepEqual(
      [last?.lull_turn_id, last?.message_sid, last?.total_tokens],
      [turnId, `out-${turnId}-0`, 7],
    );
    assert.equal((await other.at.engine.conversations.history(ID, 10)).length, 5);
    assert.deepEqual(other.at.told("conversation.not-updated"), []);
  });

  it("begin a list where there is none, and leave alone what is none", async () => {
    await other.write(full);
    await answer();
    assert.deepEqual(await bodies(), ["hi", "ok"]);
    await other.write({ ...full, messages: "many" });
    await answer();
    assert.equal((await other.row()).messages, "many");
    assert.deepEqual(
      other.at.told("conversation.not-updated").map(({ fields }) => fields.lacks),
      ["messages"],
    );
  });

  it.each([
    "12345678901234567890.5",
    "0.12345678901234567890123456789",
    // Reads as 0.1: nothing shows that it was rounded, but for a comparison where it is stored.
    "0.10000000000000000000000001",
    "9007199254740993",
    "1e100",
  ])("leave a list alone that holds the number %s, which could not be written back", async (number) => {
    await other.write(full);
    const { dynamodb } = other.at.fixture;
    const at = { TableName: other.at.tableOf("conversations"), Key: marshall(KEY) };
    const list = { L: [{ M: { body: { S: "theirs" }, score: { N: number } } }] };
    const change = { UpdateExpression: "SET messages = :list", ExpressionAttributeValues: { ":list": list } };
    await dynamodb.send(new UpdateItemCommand({ ...at, ...change }));
    const stored = async () =>
      (await dynamodb.send(new GetItemCommand({ ...at, ConsistentRead: true }))).Item;
    const before = await stored();
    const commits = countedCommits(other.at.fixture.options.clients!.dynamodb!);
    await answer();
    const after = await stored();
    assert.deepEqual(after?.messages, before?.messages);
    assert.equal(after?.conversation_status?.S, "reply_sent");
    assert.deepEqual(
      other.at.told("conversation.not-updated").map(({ fields }) => fields.lacks),
      ["messages"],
    );
    // It is not tried again and again: the list would read the same each time.
    assert.ok(commits() <= 2, `${commits()} commits`);
  });

  it("keep within a row that is nearly full, list and all", async () => {
    const long = Array.from({ length: 39 }, (_, n) => ({ ...theirs, body: `${n}`.padEnd(10_000, "x") }));
    await other.write({ ...full, messages: long });
    await answer();
    const { messages, conversation_status } = await other.row();
    assert.deepEqual([(messages as Row[]).length, conversation_status], [41, "reply_sent"]);
    await other.write({ ...full, messages: [...long, { ...theirs, body: "x".repeat(9_500) }] });
    await answer();
    const after = await other.row();
    assert.deepEqual([(after.messages as Row[]).length, after.conversation_status], [40, "reply_sent"]);
    assert.deepEqual(
      other.at.told("conversation.not-updated").map(({ fields }) => fields.lacks),
      ["messages"],
    );
  });
});

describeOnEmulators("conversations that another system changes while we work on them", (emulators) => {
  const other = otherSystem(emulators);

  it("may be rewritten during their turn: lease, draft and attempts are not theirs to lose", async () => {
    await other.write(full);
    const turn = await other.taken();
    await other.write({ ...full, conversation_status: "whatever", crm_reference: { owner: "ben" } });
    const draft = draftFor(turn);
    as("drafted", await other.at.engine.turns.draft(turn.lease, draft));
    await other.write({ task_complete: 0, note: "rewritten again" });
    as("renewed", await other.at.engine.turns.renew(turn.lease));
    assert.equal(as("busy", await other.at.engine.turns.take(ID)).kind, "busy");
    as("committed", await other.at.engine.turns.commit(turn.lease, replied(turn, allSent(draft))));
    const { turns, messages } = (await other.at.engine.inspector.conversation(ID))!;
    assert.deepEqual([turns.length, messages.length], [1, 2]);
    assert.equal((await other.row()).note, "rewritten again");
  });

  it("may be removed during their turn: the turn is recorded, and no half row comes back", async () => {
    await other.write(full);
    const turn = await other.taken();
    await other.at.remove("conversations", KEY);
    as("committed", await other.at.engine.turns.commit(turn.lease, replied(turn, allSent(draftFor(turn)))));
    assert.deepEqual(await other.row(), {});
    assert.equal((await other.at.engine.conversations.history(ID, 10)).length, 2);
    const { staged, leases } = await other.at.engine.inspector.counts();
    assert.deepEqual({ staged, leases }, { staged: 0, leases: 0 });
  });

  it("may be removed while messages wait or a draft is half sent: they become a dead letter", async () => {
    await other.write(full);
    const turn = await other.taken();
    as("drafted", await other.at.engine.turns.draft(turn.lease, draftFor(turn)));
    as("staged", await other.at.receive({ text: "waiting" }));
    await other.at.remove("conversations", KEY);
    await other.at.fixture.clock.advance(120_000);
    await other.at.fixture.takeDue(other.at.engine);
    const { items } = await other.at.engine.inspector.dead({ limit: 10 });
    assert.deepEqual(items.map(({ reason, messages }) => [reason, messages.map(({ text }) => text)]).sort(), [
      ["CONVERSATION_NOT_FOUND", ["hi"]],
      ["CONVERSATION_NOT_FOUND", ["waiting"]],
    ]);
  });
});
