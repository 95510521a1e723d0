import { copyFile, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, describe, expect, it } from "vitest";
import { settingsWith } from "../../src/core/defaults.ts";
import { sqlite } from "../../src/engines/sqlite/index.ts";
import type { Taken } from "../../src/model/take.ts";
import type { Engine } from "../../src/ports/engine.ts";
import { allSent, arrival, draftFor, replied } from "../../src/testing/engine-contract/builders.ts";
import { fakeClock } from "../../src/testing/fake-clock.ts";

/**
 * Files that those versions wrote, 0.2.0 in an early build. In each: ana had two turns, two more of her
 * messages and what a human says wait; the worker that answered ben died while it sent; cyd's message is a
 * dead letter; whether dee got her answer is unknown.
 */
const VERSIONS = ["0.1.0", "0.2.0"];
/** When they were written. */
const THEN_AT_MS = 1_790_000_300_000;

let folder = "";
let engine: Engine;
const clock = fakeClock(THEN_AT_MS);

async function open(version: string): Promise<void> {
  folder = await mkdtemp(join(tmpdir(), "lull-earlier-"));
  const file = join(folder, "lull.db");
  await copyFile(fileURLToPath(new URL(`files/${version}.db`, import.meta.url)), file);
  engine = await sqlite({ file, writer: "inline", synchronous: "off" }).open({
    clock,
    settings: settingsWith({}),
    holder: "worker-of-now",
    log: () => {},
    onArmed: () => {},
  });
}

afterEach(async () => {
  await engine.close();
  await rm(folder, { recursive: true });
});

const received = (providerId: string, sender: string) =>
  engine.receiving.stage([{ arrival: arrival({ providerId, sender, arrivedAtMs: clock.nowMs() }) }]);

async function due(): Promise<Taken[]> {
  const { outcomes } = await engine.turns.takeDue(10, new AbortController().signal);
  return outcomes.flatMap((outcome) => (outcome.kind === "turn" ? [outcome.taken] : []));
}

const reply = (taken: Taken) => engine.turns.commit(taken.lease, replied(taken, allSent(draftFor(taken))));
const idOf = async (sender: string) =>
  (await engine.inspector.conversations({ limit: 10, search: sender })).items[0]!.id;

describe.each(VERSIONS)("a file of %s", (version) => {
  it("is taken on: what waits is answered, in order, and nothing is answered again", async () => {
    await open(version);
    for (let n = 1; n <= 7; n += 1) expect((await received(`m${n}`, "ana"))[0]?.kind).toBe("duplicate");
    await clock.advance(60_000);
    const [said] = await due();
    expect(said).toMatchObject({ outbound: { texts: ["a human speaks"] } });
    const after = await engine.turns.commit(said!.lease, {
      ...replied(said!, allSent(draftFor(said!))),
      more: true,
    });
    const burst = after.kind === "committed" && after.next?.kind === "turn" ? after.next.taken : undefined;
    expect(burst?.messages.map(({ text }) => text)).toEqual(["four", "five"]);
    await reply(burst!);
    expect((await received("m6", "ana"))[0]?.kind).toBe("duplicate");
    expect((await engine.inspector.counts()).quarantined).toBe(0);
  });

  it("keeps what was said, beside what is said from now on", async () => {
    await open(version);
    const ana = await idOf("ana");
    const texts = async (max: number) =>
      (await engine.conversations.history(ana, max)).map(({ role, text }) => `${role}: ${text}`);
    const before = ["user: one\ntwo", "assistant: ok", "user: three", "assistant: ok"];
    expect(await texts(10)).toEqual(before);
    expect((await engine.inspector.conversation(ana))?.turns).toHaveLength(2);
    await clock.advance(60_000);
    const turns = await due();
    for (const taken of turns) await reply(taken);
    const after = await texts(10);
    expect(after.slice(0, 4)).toEqual(before);
    expect(after.length).toBeGreaterThan(4);
    expect(await texts(1)).toEqual(after.slice(-1));
    expect(await texts(after.length - 1)).toEqual(after.slice(1));
  });

  it("goes on with the turn that was being sent: a callback under its old id confirms it", async () => {
    await open(version);
    const lock = (await engine.inspector.locks({ limit: 10 })).items.find(({ draft }) => draft)!;
    const status = { account: "a", providerId: "SM1", status: "delivered" };
    const chunk = { turnId: lock.lease!.turnId!, chunk: 0 };
    expect(await engine.receiving.recordDelivery("test", { ...status, chunk })).toBe("confirmed");
    expect(await engine.receiving.recordDelivery("test", status)).toBe("recorded");
  });

  it("knows what was sent, its dead letters and its unknown sends", async () => {
    await open(version);
    const [turn] = (await engine.inspector.conversation(await idOf("ana")))!.turns;
    const status = { account: "a", providerId: turn!.providerIds[0]!, status: "read" };
    expect(await engine.receiving.recordDelivery("test", status)).toBe("recorded");
    expect(await engine.receiving.recordDelivery("test", { ...status, providerId: "x" })).toBe("unmatched");
    const [letter] = (await engine.inspector.dead({ limit: 10 })).items;
    expect(await engine.repairs.retryDead(letter!.id)).toBe("retried");
    const retried = (await due()).flatMap(({ messages }) => messages.map(({ text }) => text));
    expect(retried).toContain("for nothing");
    expect((await engine.inspector.unknown({ limit: 10 })).items).toHaveLength(1);
  });
});
