import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { settingsWith } from "../../src/core/defaults.ts";
import { sqlite } from "../../src/engines/sqlite/index.ts";
import type { TakeOutcome } from "../../src/model/take.ts";
import type { Engine } from "../../src/ports/engine.ts";
import { systemClock } from "../../src/runtime/system-clock.ts";
import { allSent, arrival, draftFor, replied, sending } from "../../src/testing/engine-contract/builders.ts";
import { EngineProcess } from "./engine-process.ts";
import { canForget, ForgetfulDisk } from "./forgetful-disk.ts";

const settings = { window: { kind: "fixed", lengthMs: 0 } } as const;
const now = {} as AbortSignal;

let folder = "";
let file = "";
let disk: ForgetfulDisk | undefined;
let child: EngineProcess | undefined;
let here: Engine | undefined;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "lull-power-"));
  file = join(folder, "lull.db");
});

afterEach(async () => {
  await child?.kill();
  await here?.close();
  await rm(folder, { recursive: true });
});

/** A process whose disk forgets what was not synced. */
async function openOnForgetfulDisk(): Promise<EngineProcess> {
  disk = new ForgetfulDisk(folder, folder);
  child = await EngineProcess.open(file, settings, disk.env);
  return child;
}

async function openWhatIsLeft(): Promise<Engine> {
  const left = join(folder, "left.db");
  disk!.powerIsBack(file, left);
  here = await sqlite({ file: left }).open({
    clock: systemClock,
    settings: settingsWith(settings),
    holder: "here",
    log: () => {},
    onArmed: () => {},
  });
  return here;
}

function request(providerId: string, sender = "ana") {
  return { arrival: arrival({ providerId, sender, text: providerId, arrivedAtMs: systemClock.nowMs() }) };
}

function takenFrom(outcomes: readonly TakeOutcome[]) {
  const [first] = outcomes;
  if (first?.kind !== "turn") throw new Error(`expected a turn, got ${first?.kind}`);
  return first.taken;
}

describe.skipIf(!canForget)("a power cut, every write after the last sync forgotten,", () => {
  it("loses no message that was acknowledged", async () => {
    const doomed = await openOnForgetfulDisk();
    const acknowledged: string[] = [];
    const staging = Array.from({ length: 400 }, async (_, n) => {
      await doomed.call("receiving", "stage", [request(`m${n}`, `person-${n % 20}`)]);
      acknowledged.push(`m${n}`);
      // In the middle of it all: what was acknowledged by now counts, the rest may or may not be there.
      if (acknowledged.length === 40) await doomed.kill();
    });
    await Promise.allSettled(staging);
    expect(acknowledged.length).toBeGreaterThanOrEqual(40);
    const left = await openWhatIsLeft();
    const again = await left.receiving.stage(acknowledged.map((id) => request(id)));
    expect(again.filter(({ kind }) => kind !== "duplicate")).toEqual([]);
    const { outcomes } = await left.turns.takeDue(100, now);
    const texts = outcomes
      .flatMap((each) => (each.kind === "turn" ? each.taken.messages : []))
      .map(({ text }) => text);
    expect(texts).toEqual(expect.arrayContaining(acknowledged));
  });

  it("loses no draft, no chunk that is on its way, and no committed turn", async () => {
    const doomed = await openOnForgetfulDisk();
    await doomed.call("receiving", "stage", [request("one")]);
    const first = takenFrom((await doomed.call("turns", "takeDue", 10, now)).outcomes);
    await doomed.call("turns", "commit", first.lease, replied(first, allSent(draftFor(first))));
    await doomed.call("receiving", "stage", [request("two")]);
    const second = takenFrom((await doomed.call("turns", "takeDue", 10, now)).outcomes);
    const draft = draftFor(second, ["a", "b"]);
    await doomed.call("turns", "draft", second.lease, draft);
    const onItsWay = sending(draft, 0, systemClock.nowMs() + 5_000);
    await doomed.call("turns", "writeChunks", second.lease, onItsWay);
    await doomed.kill();
    const left = await openWhatIsLeft();
    const detail = await left.inspector.conversation(first.conversation.id);
    expect(detail?.turns.map(({ turnId }) => turnId)).toEqual([first.turnId]);
    const [lock] = (await left.inspector.locks({ limit: 1 })).items;
    expect(lock).toMatchObject({ draft: true, attempts: 1, staged: 1 });
    expect((await left.receiving.stage([request("one")]))[0]?.kind).toBe("duplicate");
    expect(await left.receiving.recordDelivery("test", statusFor(second.turnId))).toBe("confirmed");
  });

  it("may forget that a lease was renewed or released: then it lapses, and its turn goes on", async () => {
    const doomed = await openOnForgetfulDisk();
    await doomed.call("receiving", "stage", [request("one")]);
    const first = takenFrom((await doomed.call("turns", "takeDue", 10, now)).outcomes);
    // The next synced commit takes the lease along.
    await doomed.call("receiving", "stage", [request("another", "ben")]);
    await doomed.call("turns", "renew", first.lease);
    await doomed.call("turns", "release", first.lease, { kind: "retry", afterMs: 3_600_000, reason: "away" });
    await doomed.kill();
    const left = await openWhatIsLeft();
    expect((await left.turns.take(first.conversation.id)).kind).toBe("busy");
    const items = (await left.inspector.locks({ limit: 10 })).items.filter(({ lease }) => lease);
    expect(items).toMatchObject([{ lease: { untilAtMs: first.lease.untilAtMs } }]);
    expect(await left.sweeping.freeLeases(items[0]!.lease!.holder)).toBe(1);
    const again = takenFrom([await left.turns.take(first.conversation.id)]);
    expect(again).toMatchObject({ turnId: first.turnId, attempt: 2, messages: [{ text: "one" }] });
    await left.turns.commit(again.lease, replied(again, allSent(draftFor(again))));
    expect((await left.receiving.stage([request("one")]))[0]?.kind).toBe("duplicate");
  });

  it("may forget a lease: the turn is taken again as the same one, and a late answer fits it", async () => {
    const doomed = await openOnForgetfulDisk();
    await doomed.call("receiving", "stage", [request("one")]);
    const first = takenFrom((await doomed.call("turns", "takeDue", 10, now)).outcomes);
    await doomed.kill();
    const left = await openWhatIsLeft();
    const again = takenFrom((await left.turns.takeDue(10, now)).outcomes);
    expect(again).toMatchObject({ turnId: first.turnId, attempt: 1, messages: [{ text: "one" }] });
    expect(await left.conversations.answer({ turnId: first.turnId, texts: ["late"] })).toBe("accepted");
  });

  it("forgets no dead letter", async () => {
    const doomed = await openOnForgetfulDisk();
    await doomed.call("receiving", "stage", [request("one")]);
    const { lease } = takenFrom((await doomed.call("turns", "takeDue", 10, now)).outcomes);
    await doomed.call("turns", "release", lease, { kind: "dead-letter", reason: "refused" });
    await doomed.kill();
    const left = await openWhatIsLeft();
    expect((await left.inspector.dead({ limit: 1 })).items).toMatchObject([{ reason: "refused" }]);
  });

  it("forgets no draft that a release left", async () => {
    const doomed = await openOnForgetfulDisk();
    await doomed.call("receiving", "stage", [request("one")]);
    const taken = takenFrom((await doomed.call("turns", "takeDue", 10, now)).outcomes);
    const draft = { ...draftFor(taken, []), awaitingUntilAtMs: systemClock.nowMs() + 60_000 };
    await doomed.call("turns", "release", taken.lease, { kind: "wait", afterMs: 60_000, draft });
    await doomed.kill();
    const left = await openWhatIsLeft();
    expect(await left.conversations.answer({ turnId: taken.turnId, texts: ["late"] })).toBe("accepted");
  });

  it("costs one sync for each message, and two for each turn however long it takes", async () => {
    const process = await openOnForgetfulDisk();
    const syncs = () => disk!.syncsOf(`${file}-wal`);
    // The first commit after the file was opened also syncs the log's own beginning.
    await process.call("receiving", "stage", [request("first", "somebody else")]);
    const before = syncs();
    for (const id of ["one", "two", "three"]) await process.call("receiving", "stage", [request(id, "ben")]);
    expect(syncs() - before).toBe(3);
    const { outcomes } = await process.call("turns", "takeDue", 10, now);
    for (const outcome of outcomes) {
      const taken = takenFrom([outcome]);
      for (let n = 0; n < 5; n += 1) await process.call("turns", "renew", taken.lease);
      const onItsWay = sending(draftFor(taken), 0, systemClock.nowMs() + 5_000);
      await process.call("turns", "draft", taken.lease, onItsWay);
      await process.call("turns", "commit", taken.lease, replied(taken, allSent(onItsWay)));
    }
    expect(outcomes).toHaveLength(2);
    expect(syncs() - before).toBe(3 + 2 * 2);
  });

  it("costs no more where messages come between the steps, and less where many come at once", async () => {
    const process = await openOnForgetfulDisk();
    const syncs = () => disk!.syncsOf(`${file}-wal`);
    const stage = (id: string) => process.call("receiving", "stage", [request(id, "ben")]);
    await stage("first");
    const before = syncs();
    const taken = takenFrom((await process.call("turns", "takeDue", 10, now)).outcomes);
    await stage("two");
    const onItsWay = sending(draftFor(taken), 0, systemClock.nowMs() + 5_000);
    await process.call("turns", "draft", taken.lease, onItsWay);
    await stage("three");
    await process.call("turns", "commit", taken.lease, replied(taken, allSent(onItsWay)));
    await stage("four");
    expect(syncs() - before).toBe(3 + 2);
    await Promise.all(Array.from({ length: 50 }, (_, n) => stage(`at once ${n}`)));
    // The first may have gone ahead alone, and the others while it was written.
    expect(syncs() - before - 5).toBeLessThan(15);
  });
});

/** Confirms only a chunk that is known to be on its way. */
function statusFor(turnId: string) {
  return { account: "a", providerId: "p", status: "delivered", chunk: { turnId, chunk: 0 } };
}
