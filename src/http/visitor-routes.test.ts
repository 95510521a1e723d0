import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { web } from "../channels/web/index.ts";
import { problemsIn, TO_PROGRAMS } from "../schema/problems.ts";
import { testRequest } from "../testing/channel-context.ts";
import { VISITOR_ROUTES } from "./visitor-routes.ts";

const [write] = VISITOR_ROUTES;
const PAYLOADS = new URL("../channels/web/payloads/", import.meta.url);

function problemsOf(message: unknown): string[] {
  return problemsIn(message, write!.body!, "", TO_PROGRAMS);
}

function kindOf(message: object): string {
  const headers = { "content-type": "application/json" };
  return web().parse(testRequest("http://lull/webhooks/web", JSON.stringify(message), headers)).kind;
}

test.each(readdirSync(PAYLOADS))("%s is a message as the document says", (name) => {
  expect(problemsOf(JSON.parse(readFileSync(new URL(name, PAYLOADS), "utf8")))).toEqual([]);
});

const MESSAGE = { id: "1", sender: "ana", text: "hi" };
const MEDIUM = { url: "https://files.example.com/1.png", content_type: "image/png" };
test.each<[object, boolean]>([
  [{ ...MESSAGE, colour: "blue", sent_at: 1_794_718_800_123 }, true],
  [{ ...MESSAGE, media: [{ ...MEDIUM, size: 7 }] }, true],
  [{ ...MESSAGE, id: "x".repeat(200), sender: "x".repeat(200) }, true],
  [{ ...MESSAGE, id: "x".repeat(201) }, false],
  [{ ...MESSAGE, sender: "x".repeat(201) }, false],
  [{ ...MESSAGE, id: 1 }, false],
  [{ sender: "ana", text: "hi" }, false],
  [{ id: "1", text: "hi" }, false],
  [{ ...MESSAGE, text: 7 }, false],
  [{ ...MESSAGE, sent_at: true }, false],
  [{ ...MESSAGE, media: [{ ...MEDIUM, url: `https://${"x".repeat(2_000)}` }] }, false],
  [{ ...MESSAGE, media: [{ url: MEDIUM.url }] }, false],
])("of case %# the document says what the channel does", (message, isMessage) => {
  expect([problemsOf(message).length === 0, kindOf(message) === "updates"]).toEqual([isMessage, isMessage]);
});

test("what the channel answers is in the document", () => {
  const { answers, refused } = write!;
  const bodyOf = (summary: object) => JSON.parse(web().answer(summary).body);
  expect(problemsIn(bodyOf({ conversationId: "c_1" }), answers[200]!.schema, "", TO_PROGRAMS)).toEqual([]);
  const refusal = bodyOf({ code: "RATE_LIMITED", detail: "too much waits", retryAfterSeconds: 1 });
  expect(problemsIn(refusal, refused!, "", TO_PROGRAMS)).toEqual([]);
});
