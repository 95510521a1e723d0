import { expect, it } from "vitest";
import { memoryScene } from "../../../../test/aws/simulated/memory-fixture.ts";
import { StoreUnavailable } from "../../../errors.ts";
import { allSent, as, draftFor, replied, textsOf } from "../../../testing/engine-contract/builders.ts";
import { ImpossibleWrite } from "../../../wire/aws-failure.ts";
import { equal } from "../dynamo/expression.ts";
import { turnCountPartitions } from "../items/keys.ts";

it("a commit that another write came before is made again on the row as it is then", async () => {
  const { s, fixture } = await memoryScene();
  const taken = await s.turnFor("hi");
  const key = { conversation_id: taken.conversation.id };
  fixture.before("request.transact", async () => {
    fixture.write("state", { ...fixture.row("state", key), rev: "a callback's", channel: "elsewhere" });
  });
  await s.reply(taken);
  expect((await s.detail(taken.conversation.id)).turns).toHaveLength(1);
  expect(fixture.row("state", key)).toMatchObject({ turn_count: 1, channel: "elsewhere" });
  await s.atRest();
});

it("a turn after which the next cannot be taken is committed, and says that something is left", async () => {
  const { s, fixture } = await memoryScene({ batchMessagesMax: 1 });
  const taken = await s.turnFor("one", "two");
  const draft = draftFor(taken);
  as("drafted", await s.engine.turns.draft(taken.lease, draft));
  fixture.before("request.transact", async () => {
    fixture.before("request.query", () => Promise.reject(new StoreUnavailable("the table is away")));
  });
  const outcome = await s.engine.turns.commit(taken.lease, replied(taken, allSent(draft)));
  expect(outcome).toEqual({ kind: "committed", isLeft: true });
  await s.leaseLapses();
  expect(textsOf(await s.take())).toEqual(["two"]);
});

it("what can never be written is left out and logged, and the rest of the turn is committed", async () => {
  const { s, fixture } = await memoryScene();
  const taken = await s.turnFor("hi");
  // Wherever it would be counted, another program wrote what is no number.
  for (const partition of turnCountPartitions())
    for (let at = 0; at < 64; at += 1)
      fixture.write("messages", { conversation_id: partition, item_id: String(at), turns: "many" });
  await s.reply(taken);
  expect(fixture.told("commit.incomplete")).toMatchObject([{ actions: 1 }]);
  expect(fixture.told("conversation.not-updated")).toEqual([]);
  const { conversation, messages, turns } = await s.detail(taken.conversation.id);
  expect([conversation.status, messages.length, turns.length]).toEqual(["reply_sent", 2, 1]);
  await s.atRest();
});

it("a turn whose state or batch can never be written is not committed", async () => {
  const { s, fixture } = await memoryScene();
  const taken = await s.turnFor("hi");
  // The state; behind it what the turn leaves, its send and its count; then the batch.
  for (const action of [0, 4]) {
    const impossible = () => Promise.reject(new ImpossibleWrite("too large", undefined, new Set([action])));
    fixture.before("request.transact", impossible);
    const commit = s.engine.turns.commit(taken.lease, replied(taken, allSent(draftFor(taken))));
    await expect(commit).rejects.toBeInstanceOf(ImpossibleWrite);
  }
  expect((await s.detail(taken.conversation.id)).turns).toEqual([]);
});

it("what was said in a turn, what came of it and its record are one item", async () => {
  const { s, fixture } = await memoryScene();
  const { id } = (await s.talk("hi", "hello")).conversation;
  const items = await fixture.context().store.query("messages", { key: equal("conversation_id", id) });
  expect(items.map(({ item_id }) => String(item_id).slice(0, 2))).toEqual(["m#"]);
  const { messages, turns } = await s.detail(id);
  expect([messages.map(({ text }) => text), turns.length]).toEqual([["hi", "hello"], 1]);
});

it("a row says how long its last turn took, from its lease to its commit", async () => {
  const { s, fixture } = await memoryScene();
  const key = { primary_channel: "ana", conversation_id: "theirs" };
  fixture.write("conversations", { ...key, task_complete: 0 });
  const first = await s.turnFor("hi");
  // A try that failed, and its pause, do not count.
  await s.engine.turns.release(first.lease, { kind: "retry", afterMs: 5_000, reason: "the model is away" });
  await s.passes(5_000);
  const taken = await s.take();
  await s.passes(1_234);
  await s.reply(taken);
  expect(fixture.row("conversations", key)?.initial_processing_time_ms).toBe(1_234);
});
