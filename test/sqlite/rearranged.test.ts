import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { settingsWith } from "../../src/core/defaults.ts";
import { sqlite } from "../../src/engines/sqlite/index.ts";
import type { Engine } from "../../src/ports/engine.ts";
import { arrival } from "../../src/testing/engine-contract/builders.ts";
import { fakeClock } from "../../src/testing/fake-clock.ts";

const WINDOW = { kind: "fixed", lengthMs: 10_000 } as const;
const clock = fakeClock();
let folder = "";
let engine: Engine | undefined;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "lull-rearranged-"));
});
afterEach(async () => {
  await engine?.close();
  rmSync(folder, { recursive: true });
});

/** A service whose channel is this project's: until now another one ran. */
async function start(project: string): Promise<Engine> {
  await engine?.close();
  engine = await sqlite({ file: join(folder, "lull.db"), writer: "inline", synchronous: "off" }).open({
    clock,
    settings: settingsWith({
      channels: { test: { type: "test", window: WINDOW, project } },
      projects: { acme: { status: "active" }, beta: { status: "active" } },
    }),
    holder: project,
    log: () => {},
    onArmed: () => {},
  });
  return engine;
}

const taken = async ({ turns }: Engine) =>
  (await turns.takeDue(10, new AbortController().signal)).outcomes.map(({ kind }) => kind);

it("what is held for a paused project is answered once its channel is another's", async () => {
  const before = await start("acme");
  await before.conversations.changeProject("acme", { paused: true });
  await before.receiving.stage([{ arrival: arrival({ providerId: "m1", arrivedAtMs: clock.nowMs() }) }]);
  await clock.advance(10_000);
  expect(await taken(before)).toEqual(["later"]);

  const same = await start("acme");
  await same.sweeping.sweep();
  await same.sweeping.sweep();
  expect(await taken(same)).not.toContain("turn");

  const after = await start("beta");
  await after.sweeping.sweep();
  expect(await taken(after)).toEqual(["turn"]);
});
