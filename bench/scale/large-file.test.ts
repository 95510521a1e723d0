import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { settingsWith } from "../../src/core/defaults.ts";
import { sqlite } from "../../src/engines/sqlite/index.ts";
import type { Engine } from "../../src/ports/engine.ts";
import { allSent, arrival, draftFor, replied } from "../../src/testing/engine-contract/builders.ts";
import { fakeClock } from "../../src/testing/fake-clock.ts";
import { fill, senderOf } from "./large-file.ts";

let folder = "";
let engine: Engine;
const clock = fakeClock();

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "lull-large-"));
  engine = await open();
});

afterEach(async () => {
  await engine.close();
  rmSync(folder, { recursive: true });
});

function open(): Promise<Engine> {
  const context = { clock, holder: "here", log: () => {}, onArmed: () => {} };
  const settings = settingsWith({ bringsHistory: true });
  return sqlite({ file: join(folder, "lull.db"), writer: "inline" }).open({ ...context, settings });
}

async function take(sender: string) {
  const providerId = `to-${sender}-${clock.nowMs()}`;
  await engine.receiving.stage([{ arrival: arrival({ providerId, sender, arrivedAtMs: clock.nowMs() }) }]);
  await clock.advance(10_000);
  const { outcomes } = await engine.turns.takeDue(1, new AbortController().signal);
  if (outcomes[0]?.kind !== "turn") throw new Error("no turn is due");
  return outcomes[0].taken;
}

test("copies of a conversation are conversations of their own, each with its turns", async () => {
  const first = await take(senderOf(0));
  await engine.turns.commit(first.lease, replied(first, allSent(draftFor(first))));
  await engine.close();
  fill(join(folder, "lull.db"), { conversations: 5, turnsEach: 2, turnsOf: new Map([[4, 7]]) });
  engine = await open();
  expect(await engine.inspector.counts()).toMatchObject({
    conversations: 5,
    turns: 1 + 3 * 2 + 7,
    staged: 0,
  });
  const short = await take(senderOf(3));
  const long = await take(senderOf(4));
  expect(short.conversation).toMatchObject({ sender: senderOf(3) });
  expect(short.conversation.id).not.toBe(long.conversation.id);
  expect(short.history).toHaveLength(4);
  expect(long.history).toHaveLength(14);
  expect((await engine.inspector.quarantined?.({ limit: 1 }))?.items).toEqual([]);
});
