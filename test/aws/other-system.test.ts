import assert from "node:assert/strict";
import { DeleteItemCommand, GetItemCommand, PutItemCommand } from "@aws-sdk/client-dynamodb";
import { marshall, unmarshall } from "@aws-sdk/util-dynamodb";
import { afterEach, beforeEach, it } from "vitest";
import type { Settings } from "../../src/model/settings.ts";
import type { Taken } from "../../src/model/take.ts";
import type { Engine } from "../../src/ports/engine.ts";
import {
  allSent,
  arrival,
  as,
  draftFor,
  replied,
  silent,
} from "../../src/testing/engine-contract/builders.ts";
import { type AwsFixture, awsFixture } from "./aws-fixture.ts";
import { describeOnEmulators } from "./describe-on-emulators.ts";

const known: Partial<Settings> = { admission: "known" };
const ID = "8d1f6c3e-conversation";

describeOnEmulators("conversations that another system writes", (emulators) => {
  let fixture: AwsFixture;
  let engine: Engine;
  let count = 0;
  beforeEach(async () => {
    fixture = await awsFixture(emulators, known);
    engine = await fixture.open();
  });
  afterEach(() => fixture.close());

  const TableName = () => `${fixture.options.tablePrefix}conversations`;
  const Key = marshall({ primary_channel: "ana", conversation_id: ID });

  async function write(row: Record<string, unknown> = {}): Promise<void> {
    const Item = marshall(
      { primary_channel: "ana", conversation_id: ID, ...row },
      { removeUndefinedValues: true },
    );
    await fixture.dynamodb.send(new PutItemCommand({ TableName: TableName(), Item }));
  }

  async function row(): Promise<Record<string, unknown>> {
    const { Item } = await fixture.dynamodb.send(new GetItemCommand({ TableName: TableName(), Key }));
    return Item ? unmarshall(Item) : {};
  }

  async function receive(text = "hi") {
    count += 1;
    const message = arrival({
      providerId: `m${count}`,
      arrivedAtMs: fixture.clock.nowMs(),
      text,
      sender: "ana",
    });
    const [outcome] = await engine.receiving.stage([{ arrival: message }]);
    return outcome!;
  }

  async function taken(): Promise<Taken> {
    as("staged", await receive());
    await fixture.clock.advance(10_000);
    const [outcome] = await fixture.takeDue(engine);
    return as("turn", outcome!).taken;
  }

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

  it("are found and answered, and what we do not know of them survives our writes", async () => {
    await write(full);
    const turn = await taken();
    assert.equal(turn.conversation.id, ID);
    assert.deepEqual(turn.conversation.attributes.ai_config, full.ai_config);
    assert.equal((await row()).conversation_status, "processing_reply");
    const draft = draftFor(turn);
    as("drafted", await engine.turns.draft(turn.lease, draft));
    const usage = { promptTokens: 3, completionTokens: 4, totalTokens: 7 };
    as("committed", await engine.turns.commit(turn.lease, replied(turn, allSent(draft), { usage })));
    const after = await row();
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
    assert.equal(after.updated_at, new Date(fixture.clock.nowMs()).toISOString());
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
    await write();
    const turn = await taken();
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
    as("committed", await engine.turns.commit(turn.lease, silent(turn)));
    assert.equal((await row()).conversation_status, "new");
  });

  it("of another address of ours, or completed, are not this one", async () => {
    await write({ ...full, channel_config: { sender: "whatsapp:somewhere else" } });
    assert.equal(as("refused", await receive()).code, "CONVERSATION_NOT_FOUND");
    await write({ ...full, task_complete: 1 });
    assert.equal(as("refused", await receive()).code, "CONVERSATION_NOT_FOUND");
    await write({ ...full, project_status: "archived" });
    assert.equal(as("refused", await receive()).code, "PROJECT_INACTIVE");
    await write({ ...full, allowed_channels: new Set(["email"]) });
    assert.equal(as("refused", await receive()).code, "CHANNEL_NOT_ALLOWED");
  });

  it("of several, the latest is the one", async () => {
    await write(full);
    const later = { ...full, conversation_id: "later", created_at: "2025-12-31T11:00:00.000Z" };
    const Item = marshall({ primary_channel: "ana", ...later });
    await fixture.dynamodb.send(new PutItemCommand({ TableName: TableName(), Item }));
    assert.equal((await taken()).conversation.id, "later");
  });

  it("may be rewritten while their turn runs: lease, draft and attempts are not theirs to lose", async () => {
    await write(full);
    const turn = await taken();
    await write({ ...full, conversation_status: "whatever", crm_reference: { owner: "ben" } });
    const draft = draftFor(turn);
    as("drafted", await engine.turns.draft(turn.lease, draft));
    await write({ task_complete: 0, note: "rewritten again" });
    as("renewed", await engine.turns.renew(turn.lease));
    assert.equal(as("busy", await engine.turns.take(ID)).kind, "busy");
    as("committed", await engine.turns.commit(turn.lease, replied(turn, allSent(draft))));
    const { turns, messages } = (await engine.inspector.conversation(ID))!;
    assert.deepEqual([turns.length, messages.length], [1, 2]);
    assert.equal((await row()).note, "rewritten again");
  });

  it("may be removed while their turn runs: the turn is recorded, and no half row comes back", async () => {
    await write(full);
    const turn = await taken();
    await fixture.dynamodb.send(new DeleteItemCommand({ TableName: TableName(), Key }));
    as("committed", await engine.turns.commit(turn.lease, replied(turn, allSent(draftFor(turn)))));
    assert.deepEqual(await row(), {});
    assert.equal((await engine.conversations.history(ID, 10)).length, 2);
    const { staged, leases } = await engine.inspector.counts();
    assert.deepEqual({ staged, leases }, { staged: 0, leases: 0 });
  });

  it("may be removed while messages wait or a draft is half sent: they become a dead letter", async () => {
    await write(full);
    const turn = await taken();
    as("drafted", await engine.turns.draft(turn.lease, draftFor(turn)));
    as("staged", await receive("waiting"));
    await fixture.dynamodb.send(new DeleteItemCommand({ TableName: TableName(), Key }));
    await fixture.clock.advance(120_000);
    await fixture.takeDue(engine);
    const { items } = await engine.inspector.dead({ limit: 10 });
    assert.deepEqual(items.map(({ reason, messages }) => [reason, messages.map(({ text }) => text)]).sort(), [
      ["CONVERSATION_NOT_FOUND", ["hi"]],
      ["CONVERSATION_NOT_FOUND", ["waiting"]],
    ]);
  });

  it("may hold messages of before: they are the history until ours is long enough", async () => {
    const messages = [
      { role: "assistant", body: "Hello Ana", message_sid: "SM1", timestamp: "2025-12-31T10:00:00.000Z" },
      { role: "user", content: "Who are you?", timestamp: 1_767_175_300 },
    ];
    await write({ ...full, messages });
    const turn = await taken();
    as("committed", await engine.turns.commit(turn.lease, replied(turn, allSent(draftFor(turn)))));
    const history = await engine.conversations.history(ID, 10);
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
    assert.deepEqual((await row()).messages, messages);
    assert.equal((await engine.conversations.history(ID, 2)).length, 2);
    // Cut by bytes, our part is the end of the conversation: nothing older stands before the gap.
    assert.deepEqual(await engine.conversations.history(ID, 10, 1), history.slice(-1));
    const roomy = await engine.conversations.history(ID, 10, 100_000);
    assert.deepEqual(roomy, history);
  });
});
