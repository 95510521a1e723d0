import { describe, expect, it } from "vitest";
import { memoryScene } from "../../../../test/aws/simulated/memory-fixture.ts";
import { draftFor, replied, unknown } from "../../../testing/engine-contract/builders.ts";

describe("an unknown send of a conversation that is gone is not staged again, and stays on its list", () => {
  it.each([
    ["here", "worker-1"],
    ["by a process that has not seen it", "another"],
  ])("resent %s", async (_, holder) => {
    const { s, fixture } = await memoryScene();
    const taken = await s.turnFor("hi");
    const draft = unknown(draftFor(taken), 0);
    await s.engine.turns.commit(taken.lease, replied(taken, draft, { outcome: "unknown" }));
    const list = async () => (await s.engine.inspector.unknown({ limit: 10 })).items;
    const { id, conversationId } = (await list())[0]!;
    fixture.remove("conversations", { primary_channel: "ana", conversation_id: conversationId });
    fixture.remove("state", { conversation_id: conversationId });
    const engine = holder === "worker-1" ? s.engine : await fixture.open(holder);
    expect(await engine.repairs.resendUnknown(id)).toBe("not-found");
    expect(await list()).toHaveLength(1);
    await s.atRest();
  });
});
