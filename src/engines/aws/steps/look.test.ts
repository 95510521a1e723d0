import { expect, it } from "vitest";
import { memoryScene } from "../../../../test/aws/simulated/memory-fixture.ts";
import type { GivenSettings } from "../../../model/settings.ts";
import type { Taken } from "../../../model/take.ts";
import type { CommitOutcome } from "../../../ports/engine.ts";
import { as, silent, textsOf } from "../../../testing/engine-contract/builders.ts";

it("what is staged and was answered before is dropped and logged, and only then", async () => {
  const { s, fixture } = await memoryScene();
  const { conversationId, id } = await s.receive("one");
  const row = fixture.row("stage", { conversation_id: conversationId, message_sid: id })!;
  await s.windowPasses();
  await s.reply(await s.take());
  expect(fixture.told("message.dropped")).toEqual([]);
  fixture.write("stage", row);
  await s.engine.turns.take(conversationId);
  expect(fixture.told("message.dropped")).toEqual([{ conversation: conversationId, messages: 1 }]);
  await s.atRest();
});

/** A pile of single letters, each a batch: the first is taken. */
async function pile(letters: string, settings: Partial<GivenSettings> = {}) {
  const { s, fixture } = await memoryScene({ batchMessagesMax: 1, ...settings });
  const taken = await s.turnFor(...letters);
  const { id } = taken.conversation;
  const rowOf = (at: number) =>
    fixture.row("stage", { conversation_id: id, message_sid: `test/account/m${at}` })!;
  const next = async (before: Taken) => as("turn", (await s.reply(before)).next!).taken;
  return { s, fixture, taken, id, rowOf, next };
}

it("what was left behind and is gone, or was answered, is found out by a look at everything", async () => {
  const { s, fixture, taken, rowOf, next } = await pile("abcde");
  fixture.remove("stage", rowOf(2));
  const third = await next(taken);
  expect(textsOf(third)).toEqual(["c"]);
  const { conversation_id, message_sid } = rowOf(4);
  const seen = { fate: "committed", until_at_ms: s.nowMs + 1_000 };
  const { installation } = fixture.context();
  await installation.load();
  fixture.write("seen", { id: installation.seenKey(String(message_sid)), ...seen });
  expect(textsOf(await next(third))).toEqual(["e"]);
  expect(fixture.row("stage", { conversation_id, message_sid })).toBeUndefined();
});

it("for a minute the turns behind a cut one leave newer windows alone; then all is read again", async () => {
  const { s, fixture, taken, id, next } = await pile("abcd");
  const window = () => fixture.row("triggerLock", { conversation_id: id });
  await s.receive({ text: "0", arrivedAtMs: s.nowMs - 60_000 });
  await s.passes(30_000);
  const second = await next(taken);
  expect(textsOf(second)).toEqual(["b"]);
  expect(window()).toBeDefined();
  await s.passes(30_000);
  expect(textsOf(await next(second))).toEqual(["0"]);
  expect(window()).toBeUndefined();
});

it("a conversation that is filled while its pile is drained is noted as full within a minute", async () => {
  const { s, taken, next } = await pile("abcd", { stagedMessagesMax: 5 });
  const second = await next(taken);
  for (const text of "efghij") await s.receive(text);
  await s.passes(60_000);
  await next(second);
  as("refused", await s.deliver(s.arrival("k")));
});

it("a pause in the middle of a pile is kept, and what was left behind waits for its end", async () => {
  const { s, taken, id } = await pile("abc");
  await s.engine.conversations.change(id, { paused: true });
  as("later", (await s.reply(taken)).next!);
  await s.engine.conversations.change(id, { paused: false });
  await s.passes(s.settings.holdMs);
  expect(textsOf(await s.take())).toEqual(["b"]);
});

it.each([
  ["is removed", false],
  ["is completed", true],
])("checked on turn, a pile whose conversation %s is looked at as a whole", async (_, complete) => {
  const { s, fixture, taken, id } = await pile("abc", { validation: "on-turn" });
  if (!complete) fixture.remove("conversations", { primary_channel: "ana", conversation_id: id });
  const commit = { ...silent(taken), ...(complete && { complete }) };
  const heard: string[] = [];
  const goOn = async (outcome: CommitOutcome) => {
    const { next } = as("committed", outcome);
    if (next?.kind !== "turn") return;
    heard.push(...textsOf(next.taken));
    await goOn(await s.reply(next.taken));
  };
  await goOn(await s.engine.turns.commit(taken.lease, commit));
  await s.windowPasses();
  for (const each of await s.turns()) {
    heard.push(...textsOf(each));
    await goOn(await s.reply(each));
  }
  expect(heard).toEqual(["b", "c"]);
});
