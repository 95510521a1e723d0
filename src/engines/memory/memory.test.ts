import { describe, it } from "vitest";
import { type EngineHarness, engineContract, worldOn } from "../../testing/engine-contract/index.ts";
import { memory } from "./index.ts";
import { memoryTables } from "./tables.ts";

const harness: EngineHarness = {
  async world(settings) {
    const tables = memoryTables();
    const strand = async (conversationId: string) => tables.putState(conversationId, undefined);
    return worldOn(memory({ tables }), settings, { strand });
  },
};

describe("the memory engine keeps the contract", () => {
  for (const { title, run } of engineContract) it(title, () => run(harness));
});
