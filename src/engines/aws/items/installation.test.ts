import { expect, it } from "vitest";
import { memoryScene } from "../../../../test/aws/simulated/memory-fixture.ts";
import { messageId } from "../../../core/identity.ts";
import { ConfigError, StoreUnavailable } from "../../../errors.ts";
import { idOf } from "../../../testing/engine-contract/scene.ts";
import { conversationKeyOf, INSTALLATION, plainSeenKey, plainSentKey, SWEEP } from "./keys.ts";

const DAY_MS = 24 * 3_600_000;
const key = conversationKeyOf(INSTALLATION);

it("what is remembered of a message is not found by its id without the installation's secret", async () => {
  const { s, fixture } = await memoryScene();
  const { message } = await s.receive("hi");
  await s.windowPasses();
  const taken = await s.take();
  await s.reply(taken);
  const kept = (await fixture.keeps?.()) ?? "";
  expect(kept).not.toContain(plainSeenKey(idOf(message)));
  expect(kept).not.toContain(plainSentKey("test", `out-${taken.turnId}-0`));
  expect(fixture.row("state", key)).toMatchObject({
    installation_key: expect.stringMatching(/^[\w-]{32,}$/),
  });
});

it("a new installation looks nothing up for an older version", async () => {
  const { s, fixture } = await memoryScene();
  await s.engine.ping();
  await s.receive("hi");
  expect(fixture.row("state", key)).toMatchObject({ plain_until_ms: 0 });
});

it("for a week after the upgrade, what 0.1.0 answered is a duplicate and what it sent is known", async () => {
  const { s, fixture } = await memoryScene();
  fixture.write("state", { ...conversationKeyOf(SWEEP), at_ms: s.nowMs });
  const untilAtMs = s.nowMs + 30 * DAY_MS;
  const id = messageId("test", "account", "old");
  fixture.write("seen", { id: plainSeenKey(id), fate: "committed", until_at_ms: untilAtMs });
  fixture.write("seen", { id: plainSentKey("test", "SM1"), turn_id: "t1", until_at_ms: untilAtMs });
  const status = { account: "account", providerId: "SM1", status: "delivered" };
  expect(await s.deliver(s.arrival({ providerId: "old" }))).toEqual({ kind: "duplicate" });
  expect(await s.engine.receiving.recordDelivery("test", status)).toBe("recorded");
  expect(await s.engine.receiving.recordDelivery("test", { ...status, providerId: "SM2" })).toBe("unmatched");
  await s.passes(7 * DAY_MS);
  expect(await s.engine.receiving.recordDelivery("test", status)).toBe("unmatched");
  expect(await s.deliver(s.arrival({ providerId: "old" }))).toMatchObject({ kind: "staged" });
});

it("a message that 0.1.0 was about to stage somewhere is staged there", async () => {
  const { s, fixture } = await memoryScene();
  const { conversationId } = await s.receive("hi");
  fixture.write("state", { ...fixture.row("state", key), plain_until_ms: s.nowMs + DAY_MS });
  const untilAtMs = s.nowMs + DAY_MS;
  const message = s.arrival({ providerId: "old", text: "again" });
  fixture.write("seen", {
    id: plainSeenKey(idOf(message)),
    staged_in: conversationId,
    until_at_ms: untilAtMs,
  });
  const upgraded = await fixture.open("upgraded");
  expect(await s.deliver(message, upgraded)).toMatchObject({ kind: "staged", conversationId });
  expect(await s.deliver(message, upgraded)).toEqual({ kind: "duplicate" });
});

it("of two workers that come first one makes the secret, and both have it", async () => {
  const { s, fixture } = await memoryScene();
  const other = await fixture.open("other");
  const found = await Promise.all([s.receive("one"), s.receive("two", other)]);
  expect(found[0]!.conversationId).toBe(found[1]!.conversationId);
});

it("a store that is away for a moment is asked again by the next caller", async () => {
  const { s, fixture } = await memoryScene();
  fixture.before("request.get", () => Promise.reject(new StoreUnavailable("the table is away")));
  await expect(s.receive("hi")).rejects.toBeInstanceOf(StoreUnavailable);
  expect(await s.deliver(s.arrival("hi"))).toMatchObject({ kind: "staged" });
});

it("a foreign item in its place is reported, and no secret is made up", async () => {
  const { s, fixture } = await memoryScene();
  fixture.write("state", { ...key, installation_key: 7 });
  await expect(s.receive("hi")).rejects.toBeInstanceOf(ConfigError);
});
