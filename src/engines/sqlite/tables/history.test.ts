import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, expect, it } from "vitest";
import { settingsWith } from "../../../core/defaults.ts";
import type { Engine } from "../../../ports/engine.ts";
import { allSent, arrival, draftFor, replied } from "../../../testing/engine-contract/builders.ts";
import { fakeClock } from "../../../testing/fake-clock.ts";
import { sqlite } from "../index.ts";

/** The version of a file that still has the status of each delivery. */
const BEFORE_STATUS_WENT = 7;

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
    workerId: "here",
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

it("a file of the version before keeps what it knows of what was sent", async () => {
  await engine.close();
  const database = new DatabaseSync(join(folder, "lull.db"));
  database.exec(`ALTER TABLE deliveries ADD COLUMN status TEXT NOT NULL DEFAULT 'sent';
    ALTER TABLE deliveries ADD COLUMN error_code TEXT;
    INSERT INTO deliveries VALUES ('test', 'SM1', 't1', ${clock.nowMs()}, 'delivered', '63016');
    PRAGMA user_version = ${BEFORE_STATUS_WENT}`);
  database.close();
  await open();
  const status = { account: "account", status: "read" };
  const { receiving } = engine;
  expect(await receiving.recordDelivery("test", { ...status, providerId: "SM1" })).toBe("recorded");
  expect(await receiving.recordDelivery("test", { ...status, providerId: "SM2" })).toBe("unmatched");
});
