import assert from "node:assert/strict";
import { afterEach, beforeEach, it } from "vitest";
import { as, silent, textsOf } from "../../../src/testing/engine-contract/builders.ts";
import { describeOnEmulators } from "../describe-on-emulators.ts";
import { type Row, SharedTables } from "../shared-tables.ts";
import { long } from "../simulated/long-numbers.ts";
import { ID, KEY, write } from "./conversation-row.ts";

const USAGE = { promptTokens: 3, completionTokens: 4, totalTokens: 7 };
const COMMITTED = { usage: USAGE, more: false };
/** As much as an item holds beside its keys and a name, give or take a few bytes. */
const FULL = 400 * 1024 - 80;

const row = async (at: SharedTables): Promise<Row> => (await at.get("conversations", KEY))!;
/** The last reply's count, and the total. */
async function counts(at: SharedTables) {
  const standing = await row(at);
  const both = (name: string) => [standing[`${name}_tokens`], standing[`${name}_tokens_sum`]];
  return { prompt: both("prompt"), completion: both("completion"), total: both("total") };
}
const notUpdated = (at: SharedTables) =>
  at.told("conversation.not-updated").map(({ fields }) => [fields.conversation, fields.lacks]);

describeOnEmulators("what the row of a conversation cannot hold", (emulators) => {
  let at: SharedTables;
  beforeEach(async () => {
    at = await SharedTables.open(emulators);
  });
  afterEach(() => at.close());

  it("counters of NULL are counted from nothing, and the turn is committed", async () => {
    await write(at, { prompt_tokens: null, completion_tokens: null, total_tokens: 5 });
    as("staged", await at.receive());
    await at.answer(await at.turnInTime(), COMMITTED);
    assert.deepEqual(await counts(at), { prompt: [3, 3], completion: [4, 4], total: [7, 12] });
    assert.equal((await row(at)).conversation_status, "reply_sent");
    assert.equal((await at.engine.conversations.history(ID, 10)).length, 2);
    assert.deepEqual(at.told("conversation.not-updated"), []);
  });

  it("a count that is no number is replaced by the last reply's, and its total starts anew", async () => {
    await write(at, { prompt_tokens: "many", completion_tokens: 1 });
    as("staged", await at.receive());
    await at.answer(await at.turnInTime(), COMMITTED);
    assert.deepEqual(await counts(at), { prompt: [3, 3], completion: [4, 5], total: [7, 7] });
    assert.equal((await row(at)).conversation_status, "reply_sent");
    assert.deepEqual(at.told("conversation.not-updated"), []);
  });

  it("a total that is no number stays its owner's, and the turn is committed", async () => {
    await write(at, { prompt_tokens_sum: "many", completion_tokens_sum: null, completion_tokens: 1 });
    as("staged", await at.receive());
    await at.answer(await at.turnInTime(), COMMITTED);
    assert.deepEqual(await counts(at), { prompt: [3, "many"], completion: [4, 4], total: [7, 7] });
    assert.equal(at.told("conversation.not-updated")[0]?.fields.lacks, "prompt_tokens_sum");
    const { conversation } = (await at.engine.inspector.conversation(ID))!;
    assert.deepEqual([conversation.promptTokens, conversation.completionTokens], [0, 4]);
  });

  it("a total of more than can be counted stays its owner's, beside one that is NULL", async () => {
    await write(at, { prompt_tokens: null, total_tokens_sum: long("9223372036854775807"), total_tokens: 5 });
    as("staged", await at.receive());
    await at.answer(await at.turnInTime(), COMMITTED);
    const { total_tokens_sum, prompt_tokens_sum, total_tokens, conversation_status } = await row(at);
    assert.deepEqual([total_tokens_sum, prompt_tokens_sum, total_tokens], [9223372036854775807n, 3, 7]);
    assert.equal(conversation_status, "reply_sent");
    assert.deepEqual(notUpdated(at), [[ID, "total_tokens_sum"]]);
  });

  it("a reply that tells no tokens leaves none of the reply before beside its id; totals stay", async () => {
    await write(at, { prompt_tokens: 100, completion_tokens: null, total_tokens: 150 });
    for (const _ of ["one", "two"]) {
      as("staged", await at.receive());
      await at.answer(await at.turnInTime(), { more: false });
    }
    const none = [undefined, undefined, undefined];
    const { prompt, completion, total } = await counts(at);
    assert.deepEqual([prompt[0], completion[0], total[0]], none);
    assert.deepEqual([prompt[1], completion[1], total[1]], [100, 0, 150]);
    const { conversation } = (await at.engine.inspector.conversation(ID))!;
    assert.equal(conversation.totalTokens, 150);
    as("staged", await at.receive());
    await at.answer(await at.turnInTime(), COMMITTED);
    assert.deepEqual(await counts(at), { prompt: [3, 103], completion: [4, 4], total: [7, 157] });
    assert.deepEqual(notUpdated(at), []);
  });

  it("counts of the last reply stand beside totals, which go on from those of 0.1.0", async () => {
    await write(at, { prompt_tokens: 100, completion_tokens: 50, total_tokens: 150 });
    for (const _ of ["one", "two"]) {
      as("staged", await at.receive());
      await at.answer(await at.turnInTime(), COMMITTED);
    }
    assert.deepEqual(await counts(at), { prompt: [3, 106], completion: [4, 58], total: [7, 164] });
    as("staged", await at.receive());
    const turn = await at.turnInTime();
    as("committed", await at.engine.turns.commit(turn.lease, silent(turn)));
    assert.deepEqual((await counts(at)).total, [7, 164]);
    const { conversation } = (await at.engine.inspector.conversation(ID))!;
    assert.equal(conversation.totalTokens, 164);
  });

  it("no room for anything leaves the row as it is, and the turn is committed once", async () => {
    await write(at, { notes: "x".repeat(FULL) });
    as("staged", await at.receive());
    const turn = await at.turnInTime();
    await at.answer(turn, COMMITTED);
    const { turns, messages, staged } = (await at.engine.inspector.conversation(ID))!;
    assert.deepEqual([turns.length, messages.length, staged.length], [1, 2, 0]);
    assert.deepEqual(
      at
        .told("conversation.not-updated")
        .map(({ level, fields }) => [level, fields.conversation, fields.lacks]),
      [["error", ID, "everything"]],
    );
    as("staged", await at.receive());
    await at.answer(await at.turnInTime(), COMMITTED);
    assert.equal((await at.engine.inspector.conversation(ID))!.turns.length, 2);
  });

  it("no room for another name does not keep a message out", async () => {
    await write(at, { notes: "x".repeat(FULL) });
    as("staged", await at.receive({ senderAlias: "1".repeat(200) }));
    assert.equal(textsOf(await at.turnInTime()).length, 1);
    assert.deepEqual(notUpdated(at), [[ID, "sender_alias"]]);
  });

  it("no room for anything does not keep a turn from becoming a dead letter", async () => {
    await write(at, { notes: "x".repeat(FULL) });
    as("staged", await at.receive({ text: "poison" }));
    const turn = await at.turnInTime();
    const deadLettered = await at.engine.turns.release(turn.lease, { kind: "dead-letter", reason: "never" });
    as("released", deadLettered);
    assert.deepEqual(
      (await at.dead()).map(({ messages }) => messages.map(({ text }) => text)),
      [["poison"]],
    );
    assert.deepEqual(notUpdated(at), [[ID, "conversation_status"]]);
  });
});
