import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { settingsWith } from "../../core/defaults.ts";
import type { Engine } from "../../ports/engine.ts";
import { arrival } from "../../testing/engine-contract/builders.ts";
import { type FakeClock, fakeClock } from "../../testing/fake-clock.ts";
import { sqlite } from "./index.ts";

const HOUR = 3_600_000;
const settings = settingsWith({});

let folder = "";
const opened: Engine[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "lull-clock-"));
});

afterEach(async () => {
  for (const engine of opened.splice(0)) await engine.close();
  rmSync(folder, { recursive: true });
});

/** A process with its own clock: its requests carry the time at which they were made. */
async function processAt(clock: FakeClock): Promise<Engine> {
  const engine = await sqlite({
    file: join(folder, "lull.db"),
    writer: "inline",
    synchronous: "off",
  }).open({
    clock,
    settings,
    holder: "here",
    log: () => {},
    onArmed: () => {},
  });
  opened.push(engine);
  return engine;
}

it("a request from before the clock was set back, written after the first sweep, mutes no chat", async () => {
  const [clock, before] = [fakeClock(), fakeClock()];
  await before.advance(HOUR);
  const [here, late] = [await processAt(clock), await processAt(before)];
  await late.sweeping.sweep();
  expect((await here.sweeping.sweep()).clockSetBack).toMatchObject({ byMs: HOUR });
  // As another process may at the same time.
  await here.sweeping.sweep();
  await late.receiving.stage([{ arrival: arrival({ providerId: "m1", arrivedAtMs: before.nowMs() }) }]);
  await clock.advance(settings.sweepMs);
  await here.sweeping.sweep();
  const { outcomes } = await here.turns.takeDue(1, new AbortController().signal);
  expect(outcomes).toMatchObject([{ kind: "turn", taken: { messages: [{ providerId: "m1" }] } }]);
});

it("half a minute is noticed by the process that wrote during it", async () => {
  const clock = fakeClock();
  const here = await processAt(clock);
  await here.sweeping.sweep();
  await clock.advance(30_000);
  await here.receiving.stage([{ arrival: arrival({ providerId: "m1", arrivedAtMs: clock.nowMs() }) }]);
  clock.setBack(30_000);
  expect((await here.sweeping.sweep()).clockSetBack).toEqual({ byMs: 30_000, conversations: 1 });
});

it("a leap is stored also if the first request at that time failed", async () => {
  const clock = fakeClock();
  const here = await processAt(clock);
  await here.sweeping.sweep();
  await clock.advance(HOUR);
  const sound = arrival({ providerId: "m1", arrivedAtMs: clock.nowMs() });
  const broken = { ...sound, media: undefined } as never;
  await expect(here.receiving.stage([{ arrival: broken }])).rejects.toThrow();
  await here.receiving.stage([{ arrival: sound }]);
  // As after its death: the next process knows only what is stored.
  clock.setBack(HOUR);
  expect((await (await processAt(clock)).sweeping.sweep()).clockSetBack).toMatchObject({ byMs: HOUR });
});
