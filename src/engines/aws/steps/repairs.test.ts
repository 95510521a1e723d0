import { expect, it } from "vitest";
import { memoryScene } from "../../../../test/aws/simulated/memory-fixture.ts";
import { draftFor, replied, unknown } from "../../../testing/engine-contract/builders.ts";

it("an unknown send of a conversation that is gone is not staged again, and stays on its list", async () => {
  const { s, fixture } = await memoryScene();
  const taken = await s.turnFor("hi");
  const draft = unknown(draftFor(taken), 0);
  await s.engine.turns.commit(taken.lease, replied(taken, draft, { outcome: "unknown" }));
  const list = async () => (await s.engine.inspector.unknown({ limit: 10 })).items;
  const { id, conversationId } = (await list())[0]!;
  fixture.remove("conversations", { primary_channel: "ana", conversation_id: conversationId });
  fixture.remove("state", { conversation_id: conversationId });
  const other = await fixture.open("another process, which has not seen it");
  expect(await other.repairs.resendUnknown(id)).toBe("not-found");
  expect(await list()).toHaveLength(1);
  await s.atRest();
});
