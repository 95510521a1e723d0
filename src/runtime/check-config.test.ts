import { expect, it, test } from "vitest";
import { memory } from "../engines/memory/index.ts";
import { ConfigError } from "../errors.ts";
import { createLull } from "../index.ts";
import { testChannel } from "../testing/test-channel.ts";

const engine = memory();
const channels = { web: testChannel() };
const create = (given: unknown) => () => createLull(given as Parameters<typeof createLull>[0]);

test.each<[given: unknown, words: string]>([
  [undefined, "createLull needs its configuration: createLull({ engine, channels, respond })"],
  [{}, 'createLull needs an engine, as sqlite({ file: "data/lull.db" }) of lull/sqlite'],
  [{ engine }, "createLull needs channels, by name, as { web: web() }; web is of lull/web"],
  [{ engine, chanels: channels }, "createLull needs channels"],
  [{ engine, channels, chanels: 1 }, "chanels is not a known setting. Did you mean channels?"],
  [{ engine, channels, port: 80 }, "port is not a known setting"],
  [
    { engine: "aws", channels },
    'engine must be an object with a function open, not "aws": an engine is made',
  ],
  [{ engine: {}, channels }, "engine must be an object with a function open, not object"],
  [{ engine, channels: [] }, "channels must be an object"],
  [
    { engine, channels: { web: {} } },
    "channels.web must be an object with a function parse, not object: a channel",
  ],
  [{ engine, channels, respond: "hello" }, 'respond must be a function, not "hello": as async (turn) =>'],
  [{ engine, channels, responders: { web: 1 } }, "responders.web must be a function"],
  [{ engine, channels, clock: 4 }, "clock must be an object with a function nowMs"],
  [{ engine, channels, log: console }, "log must be a function"],
  [{ engine, channels, apiToken: 1 }, "apiToken must be"],
  [{ engine, channels, projects: { acme: 1 } }, "projects.acme must be an object"],
  [{ engine, channels, projects: { acme: {} } }, "projects.acme has no channels"],
  [{ engine, channels, project: { state: "active" } }, "project.state is not a known setting"],
  [{ engine, channels, window: 10 }, "window must be an object"],
  [{ engine, channels, window: { seconds: "10" } }, "window.seconds must be"],
  [{ engine, channels, limits: { leaseSecond: 1 } }, "limits.leaseSecond is not a known setting"],
])("a JavaScript user is told: $1", (given, words) => {
  expect(create(given)).toThrow(ConfigError);
  expect(create(given)).toThrow(words);
});

it("takes what is whole, and what was left undefined", () => {
  expect(create({ engine, channels, respond: undefined, limits: undefined, log: undefined })).not.toThrow();
});
