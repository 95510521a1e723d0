import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { settingsWith } from "../../../core/defaults.ts";
import type { Engine } from "../../../ports/engine.ts";
import { allSent, arrival, draftFor, replied } from "../../../testing/engine-contract/builders.ts";
import { fakeClock } from "../../../testing/fake-clock.ts";
import { sqlite } from "../index.ts";

let folder = "";
let engine: Engine;
const clock = fakeClock();
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "lull-history-"));
  await open();
});
afterEach(async () => {
  await engine.close();
  rmSync(folder, { recursive: true });
});

async function open(): Promise<void> {
  engine = await sqlite({ file: join(folder, "lull.db"), writer: "inline", synchronous: "off" }).open({
    clock,
    settings: settingsWith({}),
    holder: "here",
    log: () => {},
    onArmed: () => {},
  });
}

const written = () => statSync(join(folder, "lull.db-wal")).size;

it("the callbacks for a reply, three of them, write no page: that it was sent is known", async () => {
  const { receiving, turns } = engine;
  await receiving.stage([{ arrival: arrival({ providerId: "m1", arrivedAtMs: clock.nowMs() }) }]);
  await clock.advance(10_000);
  const { outcomes } = await turns.takeDue(1, new AbortController().signal);
  if (outcomes[0]?.kind !== "turn") throw new Error("no turn is due");
  const { taken } = outcomes[0];
  const sent = allSent(draftFor(taken));
  await turns.draft(taken.lease, draftFor(taken));
  await turns.commit(taken.lease, replied(taken, sent));
  const { state } = sent.chunks[0]!;
  const providerId = state.kind === "sent" ? state.providerId : "";
  const before = written();
  for (const status of ["sent", "delivered", "read"]) {
    const chunk = { turnId: taken.turnId, chunk: 0 };
    const told = { account: "account", providerId, status, chunk };
    expect(await receiving.recordDelivery("test", told)).toBe("recorded");
  }
  expect(written()).toBe(before);
});
