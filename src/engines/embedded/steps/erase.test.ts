import { expect, it } from "vitest";
import { settingsWith } from "../../../core/defaults.ts";
import type { TurnRecord } from "../../../model/turn.ts";
import { memoryTables } from "../../memory/tables.ts";
import type { StepContext } from "../context.ts";
import { ERASED_IN_ORDER, ERASED_ROWS_MAX, erase } from "./erase.ts";

const KEY = { channelType: "test", address: "+15550200", sender: "+15550101" };

/** Conversations of one person, each with so many turns. */
function lives(conversations: number, turns: number): StepContext {
  const tables = memoryTables();
  const record = { ...KEY, status: "new", projectStatus: "active", taskComplete: false, attributes: {} };
  for (let n = 0; n < conversations; n += 1) {
    const id = `c_${n}`;
    tables.conversations.put({ ...record, id } as never);
    for (let turn = 0; turn < turns; turn += 1) {
      const said = { turnId: `${turn}.${id}`, conversationId: id, channel: "test", providerIds: [] };
      tables.history.append(said as unknown as TurnRecord, []);
    }
  }
  const settings = settingsWith({});
  return { tables, settings, holder: "h", nowMs: 0, newId: () => "", secret: "s", armed: () => {} };
}

function rowsIn({ tables }: StepContext): number {
  const { conversations, turns } = tables.meta.counts();
  return conversations + turns;
}

const AT = { ...KEY, names: [KEY.sender], conversationIds: [], others: [] };

it.each([
  ["of one conversation", { id: "c_0" }],
  ["of a person", { of: AT }],
])("one step removes so many rows %s, and the next goes on", (_, input) => {
  const context = lives(3, ERASED_ROWS_MAX);
  const outcomes: string[] = [];
  for (let before = rowsIn(context); ; before = rowsIn(context)) {
    outcomes.push(erase(context, input));
    expect(before - rowsIn(context)).toBeLessThanOrEqual(ERASED_ROWS_MAX);
    if (outcomes.at(-1) !== "more") break;
  }
  expect(outcomes).toEqual(["more", "more", "more", "erased"]);
  expect(rowsIn(context)).toBe(0);
  expect(erase(context, input)).toBe("not-found");
});

it("what lets a turn write back goes first, and the record, which leads to the rest, last", () => {
  expect(ERASED_IN_ORDER.at(0)).toBe("state");
  expect(ERASED_IN_ORDER.at(-1)).toBe("conversation");
  const context = lives(1, ERASED_ROWS_MAX + 1);
  context.tables.states.put("c_0", { works: [], lease: { token: "t" } } as never);
  expect(erase(context, { id: "c_0" })).toBe("more");
  expect(context.tables.states.get("c_0")).toBeUndefined();
  expect(context.tables.conversations.get("c_0")).toBeDefined();
});
