import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Readable } from "node:stream";
import { afterAll, beforeAll, expect, test } from "vitest";
import { twilio } from "../../src/channels/twilio/index.ts";
import { wati } from "../../src/channels/wati/index.ts";
import type { Channel, Outgoing } from "../../src/ports/channel.ts";
import { testContext } from "../../src/testing/channel-context.ts";

/** Answers 200, and goes on answering for as long as the caller listens. */
const server = createServer((incoming, outgoing) => {
  incoming.resume();
  outgoing.writeHead(200, { "content-type": "application/json" });
  Readable.from(
    (function* () {
      for (;;) yield Buffer.alloc(64 * 1_024, " ");
    })(),
  ).pipe(outgoing);
});
let url = "";
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(async () => {
  const closed = new Promise((resolve) => server.close(resolve));
  server.closeAllConnections();
  await closed;
});

const outgoing: Outgoing = {
  to: "+15550101",
  from: "+15550100",
  text: "hello",
  reference: { turnId: "turn-1", chunk: 0 },
  conversationId: "c1",
};

const CHANNELS: Record<string, () => Channel> = {
  twilio: () => twilio.sms({ accountSid: `AC${"0".repeat(31)}1`, authToken: "token", apiUrl: url }),
  wati: () => wati({ apiUrl: `${url}/1`, token: "token", webhookSecret: "secret" }),
};

test.each(Object.keys(CHANNELS))(
  "%s: an answer without end is given up, and counts as unknown",
  async (name) => {
    const channel = CHANNELS[name]!();
    channel.open?.(testContext());
    const { signal } = new AbortController();
    expect((await channel.send(outgoing, signal)).kind).toBe("unknown");
    const query = { ...outgoing, notBeforeAtMs: 0, excludeProviderIds: [] };
    expect((await channel.reconcile!(query, signal)).kind).toBe("cannot-tell");
    // It comes to an end, whatever it says.
    await channel.check!(signal);
  },
);
