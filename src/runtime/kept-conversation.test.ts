import { beforeEach, expect, it } from "vitest";
import { memoryScene } from "../../test/aws/simulated/memory-fixture.ts";
import { memory } from "../engines/memory/index.ts";
import { engineFixture } from "../testing/engine-contract/index.ts";
import { Scene } from "../testing/engine-contract/scene.ts";
import { keptOf } from "./kept-conversation.ts";

const [ANA, BEN] = ["SV.aaaaaaaa", "SV.bbbbbbbb"];
const [P, Q] = ["+15550101", "+15550103"];

let old: Scene;
let now: Scene;

beforeEach(async () => {
  const fixture = engineFixture(memory(), {});
  old = new Scene(fixture, await fixture.open());
  ({ s: now } = await memoryScene());
});

async function move(): Promise<void> {
  for (const each of await old.conversations())
    await now.engine.importConversation?.(await keptOf(old.engine, each));
}

async function left(): Promise<string[]> {
  return (await now.conversations()).map(({ id }) => id);
}

it("a stranger with a number that an imported person had left is not erased with that person", async () => {
  const ana = await old.receive({ sender: ANA, senderAlias: P });
  await old.receive({ sender: ANA, senderAlias: Q });
  await move();
  const stranger = await now.receive({ sender: P, providerId: "stranger" });
  expect(await now.engine.conversations.erase(ana.conversationId)).toBe("erased");
  expect(await left()).toEqual([stranger.conversationId]);
});

it("a stranger of before the move stays so", async () => {
  const ana = await old.receive({ sender: ANA, senderAlias: P });
  await old.receive({ sender: ANA, senderAlias: Q });
  const stranger = await old.receive({ sender: P });
  await move();
  expect((await now.receive({ sender: P, providerId: "again" })).conversationId).toBe(
    stranger.conversationId,
  );
  expect(await now.engine.conversations.erase(ana.conversationId)).toBe("erased");
  expect(await left()).toEqual([stranger.conversationId]);
});

it("a number that its last owner had left, who had no conversation, leads a stranger nowhere", async () => {
  await old.receive({ sender: ANA, senderAlias: P });
  for (const senderAlias of [P, Q])
    await old.engine.receiving.stage([
      { arrival: old.arrival({ sender: BEN, senderAlias }), refusal: "ROUTE_NOT_FOUND" },
    ]);
  await move();
  const stranger = await now.receive({ sender: P, providerId: "stranger" });
  const ben = await now.receive({ sender: BEN, senderAlias: Q, providerId: "ben" });
  expect(stranger.conversationId).not.toBe(ben.conversationId);
});
