import assert from "node:assert/strict";
import { DeleteItemCommand, GetItemCommand, PutItemCommand } from "@aws-sdk/client-dynamodb";
import { marshall, unmarshall } from "@aws-sdk/util-dynamodb";
import { afterEach, beforeEach, describe, it } from "vitest";
import { DEFAULTS } from "../../src/core/defaults.ts";
import { LullError } from "../../src/errors.ts";
import type { Arrival } from "../../src/model/message.ts";
import type { Settings } from "../../src/model/settings.ts";
import type { Taken } from "../../src/model/take.ts";
import type { Engine, StageOutcome } from "../../src/ports/engine.ts";
import {
  allSent,
  arrival,
  as,
  draftFor,
  replied,
  silent,
  textsOf,
} from "../../src/testing/engine-contract/builders.ts";
import { type AwsFixture, awsFixture } from "./aws-fixture.ts";
import { describeOnEmulators } from "./describe-on-emulators.ts";

type Row = Record<string, unknown>;

const ID = "8d1f6c3e-conversation";
const Key = marshall({ primary_channel: "ana", conversation_id: ID });
const USAGE = { promptTokens: 3, completionTokens: 4, totalTokens: 7 };
/** As much as an item holds beside its keys and a name, give or take a few bytes. */
const FULL = 400 * 1024 - 80;
/** A little less than a reply may have beside what else is in its draft. */
const REPLY_BYTES = 299_000;

describeOnEmulators("what a store of items cannot hold", (emulators) => {
  let fixture: AwsFixture;
  let engine: Engine;
  let count = 0;
  beforeEach(() => begin());
  afterEach(() => fixture.close());

  async function begin(settings: Partial<Settings> = {}): Promise<void> {
    await fixture?.close();
    fixture = await awsFixture(emulators, settings);
    engine = await fixture.open();
  }

  const TableName = () => `${fixture.options.tablePrefix}conversations`;

  async function write(row: Row): Promise<void> {
    const Item = marshall({ primary_channel: "ana", conversation_id: ID, task_complete: 0, ...row });
    await fixture.dynamodb.send(new PutItemCommand({ TableName: TableName(), Item }));
  }

  async function row(): Promise<Row> {
    const { Item } = await fixture.dynamodb.send(new GetItemCommand({ TableName: TableName(), Key }));
    return unmarshall(Item!);
  }

  async function receive(given: Partial<Arrival> = {}): Promise<StageOutcome> {
    count += 1;
    const message = arrival({ providerId: `m${count}`, arrivedAtMs: fixture.clock.nowMs(), ...given });
    const [outcome] = await engine.receiving.stage([{ arrival: message }]);
    return outcome!;
  }

  async function taken(): Promise<Taken> {
    await fixture.clock.advance(10_000);
    const outcome = (await fixture.takeDue(engine)).find(({ kind }) => kind === "turn");
    return as("turn", outcome!).taken;
  }

  async function answer(turn: Taken): Promise<void> {
    const draft = draftFor(turn);
    as("drafted", await engine.turns.draft(turn.lease, draft));
    const how = replied(turn, allSent(draft), { usage: USAGE, more: false });
    as("committed", await engine.turns.commit(turn.lease, how));
  }

  const told = (name: string) => fixture.logged.filter(({ event }) => event === name);
  const notUpdated = () =>
    told("conversation.not-updated").map(({ fields }) => [fields.conversation, fields.lacks]);
  const dead = async () => (await engine.inspector.dead({ limit: 100 })).items;

  describe("in the conversation's row", () => {
    it("counters of NULL are counted from nothing, and the turn is committed", async () => {
      await write({ prompt_tokens: null, completion_tokens: null, total_tokens: 5 });
      as("staged", await receive());
      await answer(await taken());
      const { prompt_tokens, completion_tokens, total_tokens, conversation_status } = await row();
      assert.deepEqual(
        { prompt_tokens, completion_tokens, total_tokens, conversation_status },
        { prompt_tokens: 3, completion_tokens: 4, total_tokens: 12, conversation_status: "reply_sent" },
      );
      assert.equal((await engine.conversations.history(ID, 10)).length, 2);
      assert.deepEqual(told("conversation.not-updated"), []);
    });

    it("counters that are no numbers stay their owner's, and the turn is committed", async () => {
      await write({ prompt_tokens: "many", completion_tokens: 1 });
      as("staged", await receive());
      await answer(await taken());
      const { prompt_tokens, completion_tokens, conversation_status } = await row();
      assert.deepEqual(
        { prompt_tokens, completion_tokens, conversation_status },
        { prompt_tokens: "many", completion_tokens: 5, conversation_status: "reply_sent" },
      );
      assert.equal(told("conversation.not-updated")[0]?.fields.lacks, "prompt_tokens");
      const { conversation } = (await engine.inspector.conversation(ID))!;
      assert.deepEqual([conversation.promptTokens, conversation.completionTokens], [0, 5]);
    });

    it("no room for anything leaves the row as it is, and the turn is committed once", async () => {
      await write({ notes: "x".repeat(FULL) });
      as("staged", await receive());
      const turn = await taken();
      await answer(turn);
      const { turns, messages, staged } = (await engine.inspector.conversation(ID))!;
      assert.deepEqual([turns.length, messages.length, staged.length], [1, 2, 0]);
      assert.deepEqual(
        told("conversation.not-updated").map(({ level, fields }) => [
          level,
          fields.conversation,
          fields.lacks,
        ]),
        [["error", ID, "everything"]],
      );
      as("staged", await receive());
      await answer(await taken());
      assert.equal((await engine.inspector.conversation(ID))!.turns.length, 2);
    });

    it("no room for another name does not keep a message out", async () => {
      await write({ notes: "x".repeat(FULL) });
      as("staged", await receive({ senderAlias: "1".repeat(200) }));
      assert.equal(textsOf(await taken()).length, 1);
      assert.deepEqual(notUpdated(), [[ID, "sender_alias"]]);
    });

    it("no room for anything does not keep a turn from becoming a dead letter", async () => {
      await write({ notes: "x".repeat(FULL) });
      as("staged", await receive({ text: "poison" }));
      const turn = await taken();
      const deadLettered = await engine.turns.release(turn.lease, { kind: "dead-letter", reason: "never" });
      as("released", deadLettered);
      assert.deepEqual(
        (await dead()).map(({ messages }) => messages.map(({ text }) => text)),
        [["poison"]],
      );
      assert.deepEqual(notUpdated(), [[ID, "conversation_status"]]);
    });
  });

  describe("of messages", () => {
    const large = (at: number) => `${at} ${"x".repeat(380_000)}`;

    /** Turns right behind each other until there is none, each with a reply. */
    async function answerAll(): Promise<Taken[]> {
      const all: Taken[] = [];
      await fixture.clock.advance(10_000);
      for (const outcome of await fixture.takeDue(engine)) {
        let next: typeof outcome | undefined = outcome;
        while (next?.kind === "turn") {
          const turn: Taken = next.taken;
          all.push(turn);
          const committed = await engine.turns.commit(
            turn.lease,
            silent(turn, { userMedia: turn.messages.flatMap(({ media }) => media) }),
          );
          next = as("committed", committed).next;
        }
      }
      return all;
    }

    const said = async (id: string) => {
      const history = await engine.conversations.history(id, 100);
      return history.flatMap(({ parts = [] }) => parts.map(({ text }) => text));
    };

    it("twelve of 380 KB whose conversation is gone become dead letters, and can be retried", async () => {
      await write({});
      const texts = Array.from({ length: 12 }, (_, at) => large(at));
      for (const text of texts) as("staged", await receive({ text }));
      await fixture.dynamodb.send(new DeleteItemCommand({ TableName: TableName(), Key }));
      await fixture.clock.advance(10_000);
      await fixture.takeDue(engine);
      const letters = await dead();
      assert.deepEqual(
        letters.flatMap(({ messages }) => messages.map(({ text }) => text)).sort(),
        [...texts].sort(),
      );
      await write({});
      for (const { id } of letters) assert.equal(await engine.repairs.retryDead(id), "retried");
      assert.deepEqual((await answerAll()).flatMap(textsOf).sort(), [...texts].sort());
      assert.deepEqual(await dead(), []);
    });

    it("twelve of 380 KB move on when their task is completed before their turn", async () => {
      await begin({ validation: "on-turn" });
      as("staged", await receive({ text: "first" }));
      const [{ conversation }] = (await answerAll()) as [Taken];
      const texts = Array.from({ length: 12 }, (_, at) => large(at));
      for (const text of texts) as("staged", await receive({ text }));
      await engine.conversations.change(conversation.id, { taskComplete: true });
      const turns = await answerAll();
      assert.deepEqual(turns.flatMap(textsOf), texts);
      assert.notEqual(turns[0]!.conversation.id, conversation.id);
    });

    it("thirty with long addresses of media are committed, and each of them is in the history", async () => {
      await write({});
      const contentType = "image/png";
      const texts = Array.from({ length: 30 }, (_, at) => `${at}`);
      for (const text of texts) {
        const media = [{ url: `https://example.com/${text}/${"x".repeat(30_000)}`, contentType }];
        as("staged", await receive({ text, media }));
      }
      const turns = await answerAll();
      assert.deepEqual(turns.flatMap(textsOf), texts);
      assert.deepEqual(await said(ID), texts);
      const history = await engine.conversations.history(ID, 100);
      assert.equal(history.flatMap(({ media }) => media).length, 30);
    });

    it("one with an address of 300 KB is committed, and in the history", async () => {
      await write({});
      const url = `https://example.com/${"x".repeat(300_000)}`;
      as("staged", await receive({ media: [{ url, contentType: "image/png" }] }));
      assert.equal((await answerAll()).length, 1);
      const [message] = await engine.conversations.history(ID, 10);
      assert.deepEqual(
        message?.media.map((each) => each.url),
        [url],
      );
    });

    it("thirty with long fields are committed", async () => {
      await write({});
      const fields = { quoted: "x".repeat(150_000) };
      for (let at = 0; at < 30; at += 1) as("staged", await receive({ text: `${at}`, fields }));
      assert.equal((await answerAll()).flatMap(textsOf).length, 30);
    });

    it("an id as long as a key may be is dead-lettered and retried; a longer one is refused", async () => {
      await write({});
      const longest = "i".repeat(1_024 - "test/account/".length);
      as("staged", await receive({ providerId: longest }));
      const turn = await taken();
      as("released", await engine.turns.release(turn.lease, { kind: "dead-letter", reason: "never" }));
      const [letter] = await dead();
      assert.equal(letter?.messages[0]?.providerId, longest);
      assert.equal(await engine.repairs.retryDead(letter.id), "retried");
      assert.equal((await answerAll()).length, 1);
      assert.equal(as("refused", await receive({ providerId: `${longest}i` })).code, "MESSAGE_TOO_LARGE");
    });

    it("a sender whose name no key holds is refused", async () => {
      await write({});
      assert.equal(as("refused", await receive({ sender: "s".repeat(500_000) })).code, "MESSAGE_TOO_LARGE");
    });

    it("what is too large is on record once, however often it comes", async () => {
      await write({});
      const tooLarge = [
        { providerId: "i".repeat(2_000) },
        { providerId: "large", text: "x".repeat(500_000) },
        { providerId: "named", sender: "s".repeat(3_000) },
      ];
      for (let time = 0; time < 3; time += 1)
        for (const message of tooLarge)
          assert.equal(as("refused", await receive(message)).code, "MESSAGE_TOO_LARGE");
      const { items } = await engine.inspector.refusals({ limit: 100 });
      assert.equal(items.length, tooLarge.length);
      // As long as any other message is remembered.
      await fixture.clock.advance(DEFAULTS.dedupeMs);
      as("refused", await receive(tooLarge[0]));
      assert.equal((await engine.inspector.refusals({ limit: 100 })).items.length, tooLarge.length + 1);
    });
  });

  describe("of replies", () => {
    beforeEach(() => write({}));

    const isTooLarge = (error: unknown) => {
      assert.ok(error instanceof LullError);
      assert.deepEqual([error.code, error.retry], ["REPLY_TOO_LARGE", "never"]);
      return true;
    };

    it("one that no item holds is refused for good, and its turn becomes a dead letter", async () => {
      as("staged", await receive());
      const turn = await taken();
      const draft = draftFor(turn, "x".repeat(500_000));
      await assert.rejects(engine.turns.draft(turn.lease, draft), isTooLarge);
      as(
        "released",
        await engine.turns.release(turn.lease, { kind: "dead-letter", reason: "REPLY_TOO_LARGE" }),
      );
      assert.equal((await dead()).length, 1);
    });

    it("one in so many parts that their ids would not fit beside them is refused, too", async () => {
      as("staged", await receive());
      const turn = await taken();
      const texts = Array.from({ length: 3_000 }, () => "part");
      await assert.rejects(engine.turns.draft(turn.lease, draftFor(turn, texts)), isTooLarge);
    });

    it("the largest that is taken can be marked, committed or dead-lettered", async () => {
      for (const end of ["commit", "dead-letter"] as const) {
        as("staged", await receive());
        const turn = await taken();
        const draft = draftFor(turn, "x".repeat(REPLY_BYTES));
        as("drafted", await engine.turns.draft(turn.lease, draft));
        as("marked", await engine.turns.mark(turn.lease, allSent(draft)));
        if (end === "commit") {
          as(
            "committed",
            await engine.turns.commit(turn.lease, replied(turn, allSent(draft), { more: false })),
          );
          assert.equal((await engine.conversations.history(ID, 1))[0]?.text.length, REPLY_BYTES);
        } else {
          const how = { kind: "dead-letter", reason: "never", draft: allSent(draft) } as const;
          as("released", await engine.turns.release(turn.lease, how));
          assert.equal((await dead())[0]?.draft?.chunks[0]?.text.length, REPLY_BYTES);
        }
      }
    });

    it("a human's that no item holds is refused for good", async () => {
      const request = { id: "1", conversationId: ID, channel: "test", to: "ana", author: "eva" };
      await assert.rejects(
        engine.conversations.say({ ...request, texts: ["x".repeat(500_000)] }),
        isTooLarge,
      );
    });

    it("a late one that no item holds is refused for good, and its turn goes on waiting", async () => {
      as("staged", await receive());
      const turn = await taken();
      const afterMs = 60_000;
      const draft = draftFor(turn, [], { awaitingUntilAtMs: fixture.clock.nowMs() + afterMs });
      as("released", await engine.turns.release(turn.lease, { kind: "wait", afterMs, draft }));
      const late = { turnId: turn.turnId, texts: ["x".repeat(500_000)] };
      await assert.rejects(engine.conversations.answer(late), isTooLarge);
      assert.equal(await engine.conversations.answer({ ...late, texts: ["ok"] }), "accepted");
    });
  });

  it("a reason of a megabyte is cut, and the turn is released or dead-lettered", async () => {
    await write({});
    const reason = "r".repeat(1_000_000);
    as("staged", await receive());
    const turn = await taken();
    const how = { kind: "retry", afterMs: 0, reason } as const;
    as("released", await engine.turns.release(turn.lease, how));
    const again = await taken();
    as("released", await engine.turns.release(again.lease, { kind: "dead-letter", reason }));
    const [letter] = await dead();
    assert.ok(letter!.reason.length <= 2_000 && letter!.reason.startsWith("rrr"));
  });
});
