import { expect, it } from "vitest";
import { engineFixture } from "../../../testing/engine-contract/index.ts";
import { Scene } from "../../../testing/engine-contract/scene.ts";
import { memory } from "../../memory/index.ts";

it("a full conversation without a record is told once it has one", async () => {
  const settings = { stagedMessagesMax: 1, validation: "on-turn", admission: "known" } as const;
  const fixture = engineFixture(memory(), settings);
  const s = new Scene(fixture, await fixture.open());
  await s.receive("one");
  expect(await s.deliver(s.arrival())).toMatchObject({ kind: "refused", tellBusy: true });
  expect(await s.deliver(s.arrival())).toMatchObject({ kind: "refused", tellBusy: false });
  await s.engine.conversations.create({ channelType: "test", address: "lull", sender: "ana" });
  for (let at = 0; at < 2; at += 1)
    expect(await s.deliver(s.arrival())).toMatchObject({ kind: "refused", tellBusy: false });
  const taken = await s.take();
  expect(taken.outbound?.texts).toEqual([s.own.busyText]);
  await s.reply(taken);
  await s.nothingDue();
  expect((await s.engine.inspector.counts()).refusals).toBe(1);
  await fixture.close();
});
