import { expect, it } from "vitest";
import { memory } from "../engines/memory/index.ts";
import type { ChannelContext } from "../ports/channel.ts";
import type { Responder } from "../ports/responder.ts";
import { testChannel } from "../testing/test-channel.ts";
import type { LullConfig } from "./config.ts";
import { createService } from "./create-service.ts";
import type { ProjectConfig } from "./project-config.ts";

const QUEUE = "https://sqs.eu-west-1.amazonaws.com/111122223333/triggers";
const engine = { ...memory(), triggerQueues: () => [QUEUE] };
const toTheQueue: Responder = Object.assign(() => null, { handsTo: QUEUE });
const channels = { shop: testChannel() };

function started(more: Partial<LullConfig>) {
  return () => createService({ engine, channels: {}, log: () => {}, ...more });
}

const wrong: readonly [path: string, ProjectConfig][] = [
  ["projects.acme.window needs", { channels, window: {} as never }],
  [
    "projects.acme.windows.shop.maxSeconds",
    { channels, windows: { shop: { quietSeconds: 5, maxSeconds: 1 } } },
  ],
  ["projects.acme.windows.shp:", { channels, windows: { shp: { seconds: 1 } } }],
  ["projects.acme.responders.shp:", { channels, responders: { shp: () => null } }],
  ["the responder of projects.acme: https", { channels, respond: toTheQueue }],
  ["projects.acme.responders.shop: https", { channels, responders: { shop: toTheQueue } }],
  ["projects.acme.handOffTo: https", { channels, handOffTo: toTheQueue }],
  ["projects.acme.channels.shop: settleMs", { channels: { shop: { ...testChannel(), settleMs: -1 } } }],
  ["projects.acme.channels.Shop: ", { channels: { Shop: testChannel() } }],
  ["projects.acme has no channels", { channels: {} }],
  ["projects.acme.status", { channels, status: "" }],
  ["projects.acme.limits.leaseSeconds", { channels, limits: { leaseSeconds: 1 } as never }],
  ["projects.acme.limits.restartsMax", { channels, limits: { restartsMax: -1 } }],
  ["projects.acme.whileBusy", { channels, whileBusy: "wait" as never }],
];

it.each(wrong)("what is wrong in a project is told where it was written: %s", (path, acme) => {
  expect(started({ projects: { acme } })).toThrow(path);
  expect(started({ projects: { acme } })).toThrow(/^(the responder of )?projects\.acme/);
});

it("what is said for all of a project's channel is told where that was written", () => {
  const projects = { acme: { channels } };
  expect(started({ projects, windows: { shop: { seconds: -1 } } })).toThrow(/^windows\.shop/);
  expect(started({ projects, responders: { shop: toTheQueue } })).toThrow(/^responders\.shop: https/);
  expect(started({ projects, respond: toTheQueue })).toThrow(/^the responder: https/);
  expect(started({ projects, windows: { shp: { seconds: 1 } } })).toThrow(/^windows\.shp: there is no/);
});

it("a name that another project's channel has is told where it comes second", () => {
  const projects = { acme: { channels }, beta: { channels: { shop: testChannel() } } };
  expect(started({ projects })).toThrow(/^projects\.beta\.channels\.shop: another channel has this name/);
  expect(started({ channels, projects: { acme: { channels } } })).toThrow(/^projects\.acme\.channels\.shop/);
});

it("a channel is told what its author finds it under", () => {
  const places: (string | undefined)[] = [];
  const placed = () => ({ ...testChannel(), open: ({ where }: ChannelContext) => void places.push(where) });
  started({
    channels: { one: { ...placed(), addresses: ["one"] } },
    projects: { acme: { channels: { two: { ...placed(), addresses: ["two"] } } } },
  })();
  expect(places).toEqual(["channels.one", "projects.acme.channels.two"]);
});
