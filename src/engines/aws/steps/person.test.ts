import { describe, expect, it } from "vitest";
import { memoryScene } from "../../../../test/aws/simulated/memory-fixture.ts";
import { completeAll, placeOf } from "../../../testing/engine-contract/people.ts";
import { aliasKey } from "../items/keys.ts";

const [P, O] = ["+15550101", "+15550103"];
const [A, B] = ["SV.aaaaaaaa", "SV.bbbbbbbb"];
const KEY = { channelType: "test", address: "lull", sender: "" };
const noteOf = (name: string) => ({ conversation_id: aliasKey(KEY, name) });

describe("what 0.1.0 kept of a name", () => {
  it("does not outlive its person, though the number is another's by then", async () => {
    const { s, fixture } = await memoryScene();
    const ana = await placeOf(s, { sender: A, senderAlias: P });
    fixture.write("state", { ...noteOf(P), primary_channel: A });
    fixture.remove("state", noteOf(A));
    expect(await placeOf(s, { sender: P })).toBe(ana);
    expect(await placeOf(s, { sender: B, senderAlias: P })).not.toBe(ana);
    await s.engine.conversations.erase(ana);
    expect(await fixture.keeps?.()).not.toContain(A);
  });

  it("goes with its person where it was between two names of one kind", async () => {
    const { s, fixture } = await memoryScene();
    const mail = "ana@example.test";
    const id = await placeOf(s, { sender: P, senderAlias: mail });
    fixture.write("state", { ...noteOf(mail), primary_channel: P });
    const row = (await s.engine.conversations.get(id))!;
    fixture.write("conversations", {
      primary_channel: P,
      conversation_id: id,
      task_complete: 0,
      sender_alias: mail,
      channel_type: row.channelType,
      address: row.address,
    });
    await s.engine.conversations.erase(id);
    expect(await fixture.keeps?.()).not.toContain(P);
  });
});

it("a person who came here and elsewhere is erased whole, whatever was imported when", async () => {
  const { s, fixture } = await memoryScene();
  const here = await placeOf(s, { sender: A, senderAlias: O });
  const conversation = {
    ...(await s.engine.conversations.get(here))!,
    id: "theirs",
    sender: P,
    senderAlias: A,
  };
  const names = new Map([
    [P, { cameWith: [A], whose: { theirs: A } }],
    [A, { cameWith: [P] }],
  ]);
  const said = [{ role: "user" as const, text: "SECRET", media: [], atMs: 1, turnId: "t" }];
  await s.engine.importConversation?.({ conversation, messages: said, turns: [], names });
  expect(await placeOf(s, { sender: O })).toBe(here);
  await s.engine.conversations.erase(here);
  expect(await s.conversations()).toEqual([]);
  for (const left of [A, P, O, "SECRET"]) expect(await fixture.keeps?.()).not.toContain(left);
});

it("a person is erased whose name was learnt, though the process died before it was in the row", async () => {
  const { s, fixture } = await memoryScene();
  const bare = await placeOf(s, { sender: P });
  await completeAll(s);
  const id = await placeOf(s, { sender: P });
  fixture.before("request.update", async () => {
    fixture.before("request.update", async () => {
      fixture.before("request.update", () => Promise.reject(new Error("dead")));
    });
  });
  await s.receive({ sender: A, senderAlias: P }).catch(() => {});
  expect((await s.engine.conversations.get(id))?.senderAlias).toBeUndefined();
  expect(await placeOf(s, { sender: A })).toBe(id);
  await placeOf(s, { sender: B, senderAlias: P });
  await s.engine.conversations.erase(id);
  expect(await fixture.keeps?.()).not.toContain(A);
  expect((await s.conversations()).map((each) => each.id)).toContain(bare);
});

it("a name that comes in while its person is erased goes, too", async () => {
  const { s, fixture } = await memoryScene();
  const other = await s.open("worker-2");
  const ana = await placeOf(s, { sender: A, senderAlias: P });
  fixture.before("request.delete", async () => {
    await s.receive({ sender: A, senderAlias: O }, other);
  });
  await s.engine.conversations.erase(ana);
  const isOpenAgain = (await s.conversations()).length > 0;
  if (!isOpenAgain) expect(await fixture.keeps?.()).not.toContain(A);
  await s.engine.conversations.erase(ana);
  expect(await fixture.keeps?.()).not.toContain(A);
});

it.each(["message", "create"])(
  "a row of another system under the id that is to be made stops nothing: %s",
  async (how) => {
    const { s, fixture } = await memoryScene();
    const first = await placeOf(s, { sender: P });
    fixture.write("conversations", {
      primary_channel: P,
      conversation_id: first,
      channel_type: "test",
      address: "+15550999",
      task_complete: 0,
    });
    const next =
      how === "message"
        ? await placeOf(s, { sender: P })
        : (await s.engine.conversations.create({ ...KEY, sender: P })).conversation.id;
    expect(next).not.toBe(first);
    expect(await placeOf(s, { sender: P })).toBe(next);
  },
);
