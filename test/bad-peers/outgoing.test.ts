import { readdirSync, readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { createTables } from "../../src/engines/aws/index.ts";
import { queue } from "../../src/responders/queue/index.ts";
import { type BadPeer, closingPeer, drippingPeer, silentPeer } from "../../src/testing/bad-peer.ts";
import { fakeTurn } from "../../src/testing/fake-turn.ts";
import { AWS_CALLS } from "./aws-calls.ts";
import { CHANNEL_CALLS } from "./channel-calls.ts";
import { type Manner, type OutgoingCall, told } from "./outgoing-call.ts";
import { RESPONDER_CALLS } from "./responder-calls.ts";

/** Every outgoing call of the product. A new channel, responder or engine puts its own here. */
const CALLS: readonly OutgoingCall[] = [...CHANNEL_CALLS, ...RESPONDER_CALLS, ...AWS_CALLS];

/** Faster than a byte a second, so that no deadline of a test has to be seconds long. */
const DRIP_MS = 10;
const PEERS: Readonly<Record<Manner, () => Promise<BadPeer>>> = {
  "says nothing": silentPeer,
  "drips headers": () => drippingPeer("headers", DRIP_MS),
  "drips body": () => drippingPeer("body", DRIP_MS),
  closes: closingPeer,
};

beforeAll(() => {
  vi.stubEnv("AWS_ACCESS_KEY_ID", "local");
  vi.stubEnv("AWS_SECRET_ACCESS_KEY", "local");
});
afterAll(() => void vi.unstubAllEnvs());

// At once: nearly all of a test's time is its deadline.
describe.each(Object.keys(PEERS) as Manner[])("a peer that %s: every call ends", (manner) => {
  test.concurrent.for(CALLS)("$name", async (call, { expect }) => {
    const peer = await PEERS[manner]();
    try {
      expect(await endOf(call, manner, peer)).toBe(expectedOf(call, manner));
      // What was given up is closed; otherwise every try would leave a connection behind.
      await peer.left();
    } finally {
      await peer.close();
    }
  });
});

async function endOf({ make }: OutgoingCall, manner: Manner, peer: BadPeer): Promise<string> {
  const deadline = new AbortController();
  const made = make(peer.url, deadline.signal).catch((error: unknown) => error);
  // On a busy machine a call's own deadline may pass before its first byte is here: then it has ended, as it
  // should.
  await Promise.race([peer.met(), made]);
  if (manner !== "closes") deadline.abort();
  return told(await made);
}

function expectedOf({ ends }: OutgoingCall, manner: Manner): string {
  return typeof ends === "string" ? ends : ends(manner);
}

// The SDK's own timeout, three tries of it: without `throwOnRequestTimeout` it would only warn.
describe.concurrent("without a caller's deadline, a client of AWS gives up on silence all the same:", () => {
  test.for<[string, (endpoint: string) => Promise<unknown>, string]>([
    [
      "queue: hand over",
      async (endpoint) =>
        queue({ url: `${endpoint}/000000000000/ai`, endpoint, region: "eu-west-1" })(fakeTurn("open?")),
      "QUEUE_UNAVAILABLE later",
    ],
    ["createTables", (endpoint) => createTables({ endpoint, region: "eu-west-1" }), "error TimeoutError"],
  ])("%s", async ([, make, ends], { expect }) => {
    const peer = await silentPeer();
    expect(told(await make(peer.url).catch((error: unknown) => error))).toBe(ends);
    await peer.close();
  });
});

/** What a request looks like in our sources. */
const REQUEST = new RegExp(
  [
    String.raw`(?:await|return|=>)\s+(?:fetch|callHttp)\(`,
    String.raw`\b(?:client\)?|dynamodb|sqs|client\(\))\.send\(`,
    String.raw`\bhttps?\.request\(`,
  ].join("|"),
);
/** Requests without a caller's deadline, each with its reason. */
const EXCUSED: Readonly<Record<string, string>> = {
  "engines/aws/dynamo/create-tables.ts": "makes tables by hand, for emulators and first tries",
  "engines/aws/queue/create-queues.ts": "makes queues by hand, likewise",
  "engines/aws/dynamo/lacking.ts": "asked by `lull migrate` alone, which ends with the client's own deadline",
  "cli/load-test/clean.ts": "asks that service to remove them, and gives up on each request after a minute",
  "cli/load-test/customer.ts": "plays a customer of the service on this machine, and gives up by --timeout",
};

test("every source that makes requests is on the list", () => {
  const src = new URL("../../src/", import.meta.url);
  const listed = new Set([...CALLS.flatMap((call) => call.of), ...Object.keys(EXCUSED)]);
  const asking = readdirSync(src, { recursive: true, encoding: "utf8" })
    .map((path) => path.replaceAll("\\", "/"))
    .filter((path) => path.endsWith(".ts") && !path.endsWith(".test.ts") && !path.startsWith("testing/"))
    // Runs in a browser; its deadline is tested beside its source, in web.
    .filter((path) => !path.startsWith("http/page/built/"))
    .filter((path) => REQUEST.test(readFileSync(new URL(path, src), "utf8")));
  expect(asking.filter((path) => !listed.has(path))).toEqual([]);
  expect([...listed].filter((path) => !asking.includes(path))).toEqual([]);
});
