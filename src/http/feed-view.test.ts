import { expect, it } from "vitest";
import { settingsWith } from "../core/defaults.ts";
import { isRunning } from "../core/lease.ts";
import { lockRecord } from "../core/lock-record.ts";
import { newConversation } from "../core/new-conversation.ts";
import { feedOf } from "./feed-view.ts";

const conversation = newConversation("c1", { channelType: "web", address: "web", sender: "ana" }, 0);
const VISITOR = { after: 0, showsReasons: false };

it.each([
  ["answering", "t1", 10_000],
  ["idle", "", 10_000],
  ["idle", "t1", 4_000],
])("a visitor sees that it is %s under a lease for turn %j until %i", (state, turnId, untilAtMs) => {
  const lease = { token: "k", holder: "w", turnId, takenAtMs: 1_000, untilAtMs };
  const lock = { ...lockRecord("c1", { works: [], lease }), staged: 0 };
  const detail = {
    conversation,
    lock,
    staged: [],
    messages: [],
    turns: [],
    refusals: [],
    dead: [],
    unknown: [],
  };
  expect(feedOf(detail, settingsWith({}), VISITOR, 5_000).state).toBe(state);
});

it.each([
  ["answering", "processing_reply", 3_001],
  ["idle", "new", 3_000],
])(
  "a visitor sees that it is %s where the record says %s, with clocks 2 s apart",
  (state, status, untilAtMs) => {
    const lease = { token: "k", holder: "w", turnId: "t1", takenAtMs: 1_000, untilAtMs };
    const processed = isRunning(lease, 5_000, 2_000) && { status: "processing_reply" as const };
    const lock = { ...lockRecord("c1", { works: [], lease }), staged: 0 };
    const lists = { staged: [], messages: [], turns: [], refusals: [], dead: [], unknown: [] };
    const detail = { conversation: { ...conversation, ...processed }, lock, ...lists };
    const feed = feedOf(detail, settingsWith({ clockSkewMs: 2_000 }), VISITOR, 5_000);
    expect(feed).toMatchObject({ state, status });
  },
);
