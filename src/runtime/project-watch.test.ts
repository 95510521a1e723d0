import { expect, test } from "vitest";
import type { LogFields } from "../model/log.ts";
import type { ProjectChange } from "../model/project.ts";
import { ProjectWatch } from "./project-watch.ts";

function watched(first: Record<string, ProjectChange>) {
  const told: (LogFields | undefined)[] = [];
  let set = first;
  const watch = new ProjectWatch(
    (_, event, fields) => void told.push({ event, ...fields }),
    ["acme", "beta"],
  );
  const look = async (now = set) => {
    set = now;
    await watch.look({ projectChange: async (project) => set[project] });
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
