import { afterAll, expect, test } from "vitest";
import { ATTRIBUTES_BYTES_MAX, REASON_LENGTH_MAX } from "../core/defaults.ts";
import { NAME_LENGTH_MAX } from "../schema/schema.ts";
import { testLull } from "../testing/test-lull.ts";
import { createEdge } from "./edge.ts";
import { toFetch } from "./fetch.ts";

let turnId = "";
const lull = testLull({
  limits: { replyBytesMax: 1_000, stagedMessagesMax: 2 },
  respond: (turn) => {
    turnId = turn.id;
    return { laterSeconds: 300 };
  },
});
const fetchLull = toFetch(createEdge(lull.service));
afterAll(() => lull.stop());

async function post(path: string, body: unknown): Promise<[number, string]> {
  const request = new Request(`http://127.0.0.1${path}`, { method: "POST", body: JSON.stringify(body) });
  const answer = await fetchLull(request, { remoteAddress: "127.0.0.1" });
  const { error, result } = (await answer.json()) as { error?: { code: string }; result?: string };
  return [answer.status, error?.code ?? result ?? ""];
}

test("the caller is told what is too large to be sent, and it is not kept", async () => {
  await lull.receive("ana", "hi");
  await lull.advance(10_000);
  const engine = await lull.service.engine();
  const [conversation] = (await engine.inspector.conversations({ limit: 1 })).items;
  const at = `/api/conversations/${conversation!.id}`;

  expect(await post(`${at}/say`, { text: "x".repeat(1_001) })).toEqual([413, "REPLY_TOO_LARGE"]);
  expect(await post(`/api/turns/${turnId}/reply`, { text: "x".repeat(1_001) })).toEqual([
    413,
    "REPLY_TOO_LARGE",
  ]);
  const reason = "x".repeat(REASON_LENGTH_MAX);
  expect(await post(`${at}/hand-off`, { reason: `${reason}x` })).toEqual([400, "INVALID_REQUEST"]);
  expect(await post(`/api/turns/${turnId}/reply`, { hand_off: `${reason}x` })).toEqual([
    400,
    "INVALID_REQUEST",
  ]);
  expect((await engine.inspector.counts()).staged).toBe(1);

  expect(await post(`${at}/say`, { text: "x".repeat(1_000) })).toEqual([202, "staged"]);
  expect(await post(`${at}/say`, { text: "one too many" })).toEqual([429, "RATE_LIMITED"]);
  expect(await post(`/api/turns/${turnId}/reply`, { text: "x".repeat(1_000) })).toEqual([202, "accepted"]);
  expect((await post(`${at}/hand-off`, { reason }))[0]).toBe(200);
});

test("names and attributes are as long as they may be", async () => {
  const person = { channel: "test", address: "lull" };
  const sender = "s".repeat(NAME_LENGTH_MAX);
  const refused: [number, string] = [400, "INVALID_REQUEST"];
  expect((await post("/api/conversations", { ...person, sender }))[0]).toBe(201);
  expect(await post("/api/conversations", { ...person, sender: `${sender}s` })).toEqual(refused);
  const attributes = (bytes: number) => ({ a: "x".repeat(bytes - 8) });
  const given = { ...person, sender: "ben", attributes: attributes(ATTRIBUTES_BYTES_MAX) };
  expect((await post("/api/conversations", given))[0]).toBe(201);
  const more = { ...given, attributes: attributes(ATTRIBUTES_BYTES_MAX + 1) };
  expect(await post("/api/conversations", more)).toEqual(refused);
});
