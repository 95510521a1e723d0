import { expect, it } from "vitest";
import { settingsWith } from "../core/defaults.ts";
import { lockRecord } from "../core/lock-record.ts";
import { newConversation } from "../core/new-conversation.ts";
import { feedOf } from "./feed-view.ts";

const conversation = newConversation(
  "c1",
  { channelType: "web", address: "web", sender: "ana" },
  { projectStatus: "active", nowMs: 0 },
);

it.each([
  ["answering", "t1", 10_000],
  ["idle", "", 10_000],
  ["idle", "t1", 4_000],
])("a visitor sees that it is %s under a lease for turn %j until %i", (state, turnId, untilAtMs) => {
  const lease = { token: "k", holder: "w", turnId, takenAtMs: 1_000, untilAtMs };
  const lock = { ...lockRecord("c1", { works: [], lease }), staged: 0 };
  const detail = { conversation, lock, staged: [], messages: [], turns: [], refusals: [] };
  expect(feedOf(detail, settingsWith({}), 0, 5_000).state).toBe(state);
});
