import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { REASON_LENGTH_MAX } from "../core/defaults.ts";
import { LullError } from "../errors.ts";
import type { LogFields } from "../model/log.ts";
import { type TestLull, testLull } from "../testing/test-lull.ts";
import type { Service } from "./service.ts";

let lull: TestLull;
let service: Service;
let told: [string, LogFields | undefined][];
beforeEach(() => {
  told = [];
  lull = testLull({
    window: { seconds: 10 },
    respond: ({ text }) => {
      if (text === "poison") throw new LullError("not this", { code: "MODEL_REFUSED", retry: "never" });
      return "hello";
    },
    log: (_, event, fields) => void told.push([event, fields]),
  });
  ({ service } = lull);
});
afterEach(() => lull.stop());

async function conversation(): Promise<string> {
  await lull.receive("ana", "hi");
  const { items } = await (await service.engine()).inspector.conversations({ limit: 1 });
  return items[0]!.id;
}

describe("an operator's program", () => {
  it("closes, pauses and hands off a conversation, and takes that back", async () => {
    const id = await conversation();
    expect(await service.pause(id)).toMatchObject({ id, paused: true });
    expect(await service.resume(id)).toMatchObject({ paused: false });
    expect(await service.handOff(id, "asked for a person")).toMatchObject({
      handedOff: true,
      handOffReason: "asked for a person",
    });
    expect(await service.handBack(id)).toMatchObject({ handedOff: false });
    expect(await service.handOff(id)).toMatchObject({ handedOff: true });
    expect(await service.close(id)).toMatchObject({ taskComplete: true });
  });

  it("hears of a conversation that is not there", async () => {
    const asked = [service.close, service.pause, service.resume, service.handOff, service.handBack];
    expect(await Promise.all(asked.map((ask) => ask("no-such-id")))).toEqual(asked.map(() => "not-found"));
  });

  it("gives a reason as long as it may be, and no longer", async () => {
    const id = await conversation();
    const longest = "x".repeat(REASON_LENGTH_MAX);
    expect(await service.handOff(id, longest)).toMatchObject({ handOffReason: longest });
    await expect(service.handOff(id, `${longest}x`)).rejects.toMatchObject({ code: "INVALID_REQUEST" });
  });

  it("pauses everything, and goes on", async () => {
    await service.pauseAll(true);
    await lull.receive("ana", "hi");
    await lull.advance(60_000);
    expect(lull.sent).toEqual([]);
    await service.pauseAll(false);
    await lull.advance(60_000);
    expect(lull.sent).toEqual([{ to: "ana", text: "hello" }]);
  });

  it("retries a dead letter once, and discards another", async () => {
    await lull.receive("ana", "poison");
    await lull.receive("ben", "poison");
    await lull.advance(10_000);
    const { items } = await (await service.engine()).inspector.dead({ limit: 10 });
    const [first, second] = items.map(({ id }) => id) as [string, string];
    expect([await service.retryDead(first), await service.retryDead(first)]).toEqual([
      "retried",
      "not-found",
    ]);
    expect([await service.discardDead(second), await service.discardDead(second)]).toEqual([
      "discarded",
      "not-found",
    ]);
  });

  it("says what it found out about a send in one of two words, and the log has it", async () => {
    const as = "perhaps" as "sent";
    await expect(service.markUnknown("u1", as)).rejects.toMatchObject({ code: "INVALID_REQUEST" });
    lull.channel.behave(() => ({ kind: "unknown", why: "no answer" }));
    lull.channel.reconcileWith(() => ({ kind: "cannot-tell", why: "it has no list", retry: "never" }));
    await lull.receive("ana", "hi");
    await lull.advance(120_000);
    const { items } = await (await service.engine()).inspector.unknown({ limit: 1 });
    const { id } = items[0]!;
    expect(await service.markUnknown(id, "not-sent")).toBe("marked");
    expect(await service.markUnknown(id, "sent")).toBe("not-found");
    expect(told.filter(([event]) => event === "unknown.marked")).toEqual([
      ["unknown.marked", { id, as: "not-sent" }],
    ]);
  });
});
