import { describe, it } from "vitest";
import {
  type EngineFixture,
  type EngineHarness,
  engineContract,
  engineFixture,
} from "../../testing/engine-contract/index.ts";
import { memory } from "./index.ts";
import { memoryTables } from "./tables.ts";

const BECAUSE = "no other process can write into its memory";
const skips = engineContract
  .filter(({ title }) => title.includes("unreadable") || title.includes("foreign"))
  .map(({ title }) => ({ title, because: BECAUSE }));

const harness: EngineHarness = {
  skips,
  async fixture(settings) {
    const tables = memoryTables();
    const strand = async (conversationId: string) => tables.states.put(conversationId, undefined);
    const says: EngineFixture["says"] = async (id, status, updatedAtMs) => {
      const before = tables.conversations.get(id)!;
      tables.conversations.put({ ...before, status, updatedAtMs: updatedAtMs ?? before.updatedAtMs });
    };
    return engineFixture(memory({ tables }), settings, { strand, says });
  },
};

describe("the memory engine keeps the contract", () => {
  for (const { title, run } of engineContract) {
    const skip = skips.find((each) => each.title === title);
    it.skipIf(skip)(skip ? `${title} (not here: ${skip.because})` : title, () => run(harness));
  }
});
