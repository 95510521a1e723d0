import { expect, test } from "vitest";
import type { LogFields } from "../model/log.ts";
import type { ProjectChange } from "../model/project.ts";
import type { Engine, Sweeping } from "../ports/engine.ts";
import { fakeClock } from "../testing/fake-clock.ts";
import { ProjectWatch, watching } from "./project-watch.ts";

function watched(first: Record<string, ProjectChange>) {
  const told: (LogFields | undefined)[] = [];
  let set = first;
  const watch = new ProjectWatch(
    (_, event, fields) => void told.push({ event, ...fields }),
    ["acme", "beta"],
  );
  const look = async (now = set) => {
    set = now;
    await watch.look({ projectChanges: async () => new Map(Object.entries(set)) });
    return told.splice(0);
  };
  return { watch, look, told };
}

const changed = (project: string, keys: string) => ({ event: "project.changed", project, keys });

test("what another process set is told once, by its keys, and what stood at the start is not", async () => {
  const { look } = watched({ acme: { status: "stopped" } });
  expect(await look()).toEqual([]);
  expect(await look()).toEqual([]);
  const paused = { acme: { status: "stopped", paused: true }, beta: { allowedChannels: ["sms"] } };
  expect(await look(paused)).toEqual([changed("acme", "paused"), changed("beta", "allowedChannels")]);
  expect(await look()).toEqual([]);
  expect(await look({})).toEqual([changed("acme", "status, paused"), changed("beta", "allowedChannels")]);
});

test("what this process set is told at once, and not again", async () => {
  const { watch, look, told } = watched({});
  await look();
  watch.changed("acme", undefined, { status: "stopped" });
  expect(told.splice(0)).toEqual([changed("acme", "status")]);
  expect(await look({ acme: { status: "stopped" } })).toEqual([]);
  watch.changed("acme", { status: "stopped" }, { status: "stopped" });
  expect(told).toEqual([]);
});

test("what this process sets while a look is under way is told once, whichever is first", async () => {
  const { watch, look, told } = watched({});
  await look();
  const stopped = { status: "stopped" };
  // The look read before it was set.
  await watch.look({
    projectChanges: async () => {
      watch.changed("acme", undefined, stopped);
      return new Map();
    },
  });
  expect(told.splice(0)).toEqual([changed("acme", "status")]);
  expect(await look({ acme: stopped })).toEqual([]);
  // The look read what was set before it was said to be.
  expect(await look({ acme: stopped, beta: stopped })).toEqual([changed("beta", "status")]);
  watch.changed("beta", undefined, stopped);
  expect(told).toEqual([]);
});

test("a look that fails is told, once a minute, and fails no sweep", async () => {
  const told: (LogFields | undefined)[] = [];
  const log = (_: unknown, event: string, fields?: LogFields) => void told.push({ event, ...fields });
  const clock = fakeClock();
  const report = { orphans: [], retriggered: 0, freed: 0, expired: 0, hasMore: false };
  const sweeping: Sweeping = { sweep: async () => report, freeLeases: async () => 0 };
  const inspector = { projectChanges: () => Promise.reject(new Error("no answer")) };
  const engine = { inspector } as unknown as Engine;
  const watch = new ProjectWatch(log, ["acme"]);
  const swept = watching(sweeping, engine, { watch, clock, log });
  for (let n = 0; n < 3; n += 1) expect(await swept.sweep()).toEqual(report);
  expect(told).toEqual([{ event: "project.look-failed", reason: expect.anything(), failures: 1 }]);
  await clock.advance(60_000);
  await swept.sweep();
  expect(told.at(-1)).toMatchObject({ event: "project.look-failed", failures: 3 });
});
