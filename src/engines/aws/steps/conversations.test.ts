import { describe, expect, test } from "vitest";
import { LONG_NUMBERS, long } from "../../../../test/aws/simulated/long-numbers.ts";
import { memoryScene } from "../../../../test/aws/simulated/memory-fixture.ts";
import { outboundId } from "../../../core/staged.ts";
import { asRead, marshalled, plainItem } from "../dynamo/exact.ts";
import { stageKey } from "../items/staged.ts";

const KEY = { primary_channel: "+15550177", conversation_id: "theirs" };
const ROW = { ...KEY, channel_type: "test", task_complete: 0, openai_thread_id: "t1" };
const NAME = "openai_thread_id";

async function scene() {
  const { s, fixture } = await memoryScene({});
  fixture.write("conversations", ROW);
  const { conversations } = s.engine;
  const stands = async () => (await conversations.get("theirs"))?.attributes[NAME];
  return { fixture, conversations, stands };
}

describe("an attribute that is the row's own", () => {
  test("is not changed if its owner was quicker", async () => {
    const { fixture, conversations, stands } = await scene();
    const quicker = async () => fixture.write("conversations", { ...ROW, [NAME]: "t2" });
    fixture.before("request.update", quicker);
    expect(await conversations.changeAttribute("theirs", { name: NAME, was: "t1", to: "t3" })).toBe("stale");
    expect(await stands()).toBe("t2");
  });

  test("that its owner adds meanwhile is not hidden by ours", async () => {
    const { fixture, conversations, stands } = await scene();
    const { [NAME]: _, ...bare } = ROW;
    fixture.write("conversations", bare);
    fixture.before("request.update", async () => fixture.write("conversations", ROW));
    const given = { name: NAME, was: undefined, to: "t3" };
    expect(await conversations.changeAttribute("theirs", given)).toBe("stale");
    expect(await stands()).toBe("t1");
  });

  test("cannot be removed, and nobody is told that it was", async () => {
    const { conversations, stands } = await scene();
    const removal = { name: NAME, was: "t1", to: undefined };
    expect(await conversations.changeAttribute("theirs", removal)).toBe("stale");
    expect(await stands()).toBe("t1");
  });

  test("is covered by ours, and its owner's stays in the row", async () => {
    const { fixture, conversations, stands } = await scene();
    const given = { name: NAME, was: "t1", to: "t3" };
    expect(await conversations.changeAttribute("theirs", given)).toBe("changed");
    expect([await stands(), fixture.row("conversations", KEY)?.[NAME]]).toEqual(["t3", "t1"]);
  });
});

test("an attribute that has the name of one of the row's fields is ours alone", async () => {
  const { fixture, conversations } = await scene();
  fixture.write("conversations", { ...ROW, paused: true });
  const given = { name: "paused", was: undefined, to: "by me" };
  expect(await conversations.changeAttribute("theirs", given)).toBe("changed");
});

test("what an earlier version staged, without its conversation in the id, is said once", async () => {
  const { fixture, conversations } = await scene();
  const said = { channel: "test", to: "+15550177", texts: ["hello"], author: "eva" };
  const request = { ...said, id: "welcome-1", conversationId: "theirs" };
  expect(await conversations.say(request)).toBe("staged");
  const key = stageKey("theirs", outboundId(request));
  const item = fixture.row("stage", key);
  fixture.remove("stage", key);
  fixture.write("stage", { ...item, message_sid: "outbound/welcome-1" });
  expect(await conversations.say(request)).toBe("duplicate");
  expect(fixture.row("stage", key)).toBeUndefined();
});

test.each(LONG_NUMBERS)(
  "an attribute is changed beside one that is %s, which keeps its digits",
  async (text) => {
    const { fixture, conversations } = await scene();
    const theirs = { chat: long(text), list: [long(text)] };
    fixture.write("conversations", { ...ROW, attributes: { ...theirs, gone: "x" } });
    const change = (name: string, was: unknown, to: unknown) =>
      conversations.changeAttribute("theirs", { name, was, to });
    expect(await change("new", undefined, "y")).toBe("changed");
    expect(await change("gone", "x", undefined)).toBe("changed");
    const standing = asRead(fixture.row("conversations", KEY)!, "attributes");
    expect(standing).toEqual(asRead(plainItem(marshalled({ it: { ...theirs, new: "y" } })), "it"));
    expect(await change("chat", Number(text), "z")).toBe("changed");
    expect((await conversations.get("theirs"))?.attributes).toMatchObject({ chat: "z", new: "y" });
  },
);

test("an attribute is set where another system has no map for it", async () => {
  for (const attributes of [undefined, null, "text", new Set(["a"])]) {
    const { fixture, conversations } = await scene();
    fixture.write("conversations", { ...ROW, attributes });
    const given = { name: "new", was: undefined, to: "y" };
    expect(await conversations.changeAttribute("theirs", given)).toBe("changed");
    expect(fixture.row("conversations", KEY)?.attributes).toEqual({ new: "y" });
  }
});

test("attributes that another process sets at the same moment are both kept", async () => {
  const { fixture, conversations } = await scene();
  fixture.write("conversations", { ...ROW, attributes: { a: 1 } });
  const meanwhile = { ...ROW, attributes: { a: 1, theirs: 2 } };
  fixture.before("request.update", async () => fixture.write("conversations", meanwhile));
  const given = { name: "ours", was: undefined, to: 3 };
  expect(await conversations.changeAttribute("theirs", given)).toBe("changed");
  expect(fixture.row("conversations", KEY)?.attributes).toEqual({ a: 1, theirs: 2, ours: 3 });
});
