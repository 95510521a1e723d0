import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { afterEach, beforeEach, expect, test } from "vitest";
import { Generator } from "./generator.ts";
import { conversationOf, type LoadPlan } from "./load-plan.ts";
import { messagesIn, requestOf } from "./webhook.ts";

const PLAN: LoadPlan = { messages: 90, connections: 3, conversations: 6, burst: 2 };

let posted: number[];
let answer: (message: number, response: ServerResponse) => void;
const server = createServer(async (request, response) => {
  const body = new URLSearchParams(await text(request).catch(() => ""));
  const [message = -1] = messagesIn(body.get("Body") ?? "");
  posted.push(message);
  answer(message, response);
});

beforeEach(async () => {
  posted = [];
  answer = (_, response) => response.end("<Response/>");
  await once(server.listen(0, "127.0.0.1"), "listening");
});

afterEach(async () => {
  server.closeAllConnections();
  await once(server.close(), "close");
});

function generate(plan: LoadPlan) {
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const requests = Array.from({ length: plan.messages }, (_, message) =>
    requestOf(message, conversationOf(message, plan), host),
  );
  return new Generator(`http://${host}`, plan, requests).run();
}

const inOrder = (list: readonly number[]) => list.toSorted((a, b) => a - b);

test.each([
  ["as fast as it is answered", PLAN],
  ["at a pace", { ...PLAN, perSecond: 3_000 }],
])("%s, every message is posted once, and those of a conversation in order", async (_, plan) => {
  const { ackedAtMs, handedAtMs, failedTries } = await generate(plan);
  expect(inOrder(posted)).toEqual(Array.from({ length: plan.messages }, (__, at) => at));
  expect(ackedAtMs.every((atMs, message) => atMs > handedAtMs[message]!)).toBe(true);
  expect(failedTries).toBe(0);
  const perConversation = Map.groupBy(posted, (message) => conversationOf(message, plan));
  for (const messages of perConversation.values()) expect(messages).toEqual(inOrder(messages));
});

test("one that is refused or cut off is posted again, and the next one after it", async () => {
  const tries = new Map<number, number>();
  answer = (message, response) => {
    const count = (tries.get(message) ?? 0) + 1;
    tries.set(message, count);
    if (message === 4 && count === 1) response.writeHead(503).end();
    else if (message === 7 && count === 1) response.destroy();
    else response.end("<Response/>");
  };
  const { ackedAtMs, firstAtMs, sentAtMs, failedTries } = await generate(PLAN);
  expect(failedTries).toBe(2);
  expect([tries.get(4), tries.get(7)]).toEqual([2, 2]);
  expect(ackedAtMs.every((atMs) => atMs > 0)).toBe(true);
  expect(sentAtMs[4]).toBeGreaterThan(firstAtMs[4]!);
  // Messages 1, 4, 7 and 10 share a connection.
  expect(posted.filter((message) => message % 3 === 1).slice(0, 6)).toEqual([1, 4, 4, 7, 7, 10]);
});

test("no message is begun after the end of the time", async () => {
  const { handedAtMs } = await generate({ ...PLAN, forMs: 0 });
  expect(handedAtMs.filter((atMs) => atMs > 0)).toEqual([]);
  expect(posted).toEqual([]);
});
