import { describe, expect, it } from "vitest";
import { AT_REST, type ConversationState, type Work } from "../../../core/state.ts";
import type { Item } from "../dynamo/expression.ts";
import { leaseAttributes, stateChange, storedFrom } from "./state-item.ts";

const work: Work = {
  turnId: "t",
  recordId: "c",
  messageIds: ["a", "b"],
  batchIds: ["a", "b"],
  attempts: 1,
  restarts: 0,
  openedAtMs: 5,
  dueAtMs: 10,
  takenAtMs: 10,
};
const lease = { token: "k", holder: "w", turnId: "t", takenAtMs: 10, untilAtMs: 70 };

const rowWith = (state: ConversationState) =>
  JSON.parse(JSON.stringify({ rev: "r", ...stateChange("c", AT_REST, state, 4) })) as Item;
const worksIn = (...works: Work[]) => rowWith({ works }).works as Item[];

describe("a conversation's row", () => {
  it("is read as it was written", () => {
    const state: ConversationState = { lease, works: [work], notBeforeAtMs: 7, busyToldTurnId: "t" };
    expect(storedFrom("c", rowWith(state)).state).toEqual(state);
    expect(storedFrom("c", undefined).state).toEqual(AT_REST);
  });

  it("names the messages of a turn once, where its batch is what is counted", () => {
    expect(worksIn(work)[0]).not.toHaveProperty("batchIds");
  });

  it.each([["a"], ["a", "b", "c"], ["b", "a"], ["c", "d"]])(
    "tells a batch of %s %s %s apart from what is counted",
    (...ids) => {
      const batchIds = ids.filter((id) => id !== undefined);
      expect(worksIn({ ...work, batchIds })[0]?.batchIds).toEqual(batchIds);
      expect(storedFrom("c", rowWith({ works: [{ ...work, batchIds }] })).state.works[0]?.batchIds).toEqual(
        batchIds,
      );
    },
  );

  it("changes in what differs and nothing else", () => {
    const before: ConversationState = { lease, works: [work], leftBehindAtMs: 3 };
    expect(stateChange("c", before, { ...before }, 4)).toEqual({});
    expect(stateChange("c", before, { ...before, works: [] }, 4)).toEqual({ works: undefined });
    expect(stateChange("c", before, { ...before, leftBehindAtMs: undefined }, 4)).toEqual({
      left_behind_at_ms: undefined,
    });
  });

  it.each([[[null]], [["work"]], [[7]], ["none"], [{}]])("is not ours with works of %j", (works) => {
    const { foreign, state } = storedFrom("c", { conversation_id: "c", rev: "r", works });
    expect(foreign?.raw.works).toEqual(works);
    expect(state).toEqual(AT_REST);
  });

  it("that is foreign still says which worker is busy", () => {
    const row = { ...rowWith({ lease, works: [] }), works: "none", rev: 7 };
    expect(storedFrom("c", row).state).toEqual({ lease, works: [] });
  });

  it.each(["primary_channel", "channel", "status_before", "turn_count", "last_commit_at_ms"])(
    "does without %s where that is something else",
    (name) => {
      const row = { conversation_id: "c", rev: "r" };
      expect(storedFrom("c", { ...row, [name]: { of: "others" } })).toEqual(storedFrom("c", row));
    },
  );

  it("is in the index over leases while there is one", () => {
    expect(leaseAttributes("c", lease, 4).lease_shard).toEqual(expect.any(String));
    expect(Object.values(leaseAttributes("c", undefined, 4)).every((value) => value === undefined)).toBe(
      true,
    );
  });
});
