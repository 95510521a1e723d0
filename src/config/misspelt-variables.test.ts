import { expect, it } from "vitest";
import { TABLES } from "../engines/aws/dynamo/tables.ts";
import { KNOBS } from "./knobs.ts";
import { misspeltVariables, OTHER_VARIABLES } from "./misspelt-variables.ts";

const said = (name: string, content: unknown = {}) => misspeltVariables({ [name]: "1" }, content);

it.each([
  ["LULL_WINDOW_SECOND", "LULL_WINDOW_SECONDS"],
  ["LULL_WINDOWS_SECONDS", "LULL_WINDOW_SECONDS"],
  ["LULL_API_TOKN", "LULL_API_TOKEN"],
  ["LULL_WORKER", "LULL_WORKERS"],
  ["LULL_TABLE_STATES", "LULL_TABLE_STATE"],
])("%s is told, with what was probably meant", (name, meant) => {
  expect(said(name)).toEqual([`${name} is not a known variable. Did you mean ${meant}?`]);
});

it("what is read is not told, nor what is empty", () => {
  const tables = Object.values(TABLES).map(({ env }) => env);
  expect(OTHER_VARIABLES).toEqual(expect.arrayContaining(tables));
  const read = [...KNOBS.flatMap(({ env }) => env ?? []), ...OTHER_VARIABLES, "LULL_QUEUE_MY_CHANNEL"];
  expect(misspeltVariables(Object.fromEntries(read.map((name) => [name, "1"])), {})).toEqual([]);
  expect(misspeltVariables({ LULL_WINDOW_SECOND: " " }, {})).toEqual([]);
});

it("names of the user's own are not told: those in the file, and those that are like none of ours", () => {
  const channels = { sms: { authToken: { env: "LULL_API_TOKENS" } } };
  expect(said("LULL_API_TOKENS")).not.toEqual([]);
  expect(said("LULL_API_TOKENS", { channels })).toEqual([]);
  expect(said("LULL_API_TOKENS", { projects: { acme: { list: [channels] } } })).toEqual([]);
  const loop: Record<string, unknown> = {};
  loop.loop = loop;
  // As Kubernetes sets them for a service that is called `lull`, and as a parent does for its workers.
  for (const name of [
    "LULL_MY_KEY",
    "LULL_PORT",
    "LULL_SERVICE_HOST",
    "LULL_SHARED_PORT",
    "LULL_WORKER_NUMBER",
  ])
    expect(said(name, loop)).toEqual([]);
});
