import { describe, expect, it } from "vitest";
import { testLull } from "../testing/test-lull.ts";
import type { Service } from "./service.ts";

/** A caller in plain JavaScript: no compiler has seen what it asks. */
type Asked = [words: string, method: "say" | "answerTurn" | "catchUp" | "createConversation", ...unknown[]];

const SAYING = { conversationId: "c", text: "hi", author: "me" };
const SINCE = { channel: "test", sinceAtMs: 0, beyondMemory: true };

describe("a request of the wrong shape is refused in a plain sentence", () => {
  it.each<Asked>([
    ["text must be a string, not number", "say", { ...SAYING, text: 7 }],
    ["text must not be empty", "say", { ...SAYING, text: " " }],
    ["author is missing", "say", { ...SAYING, author: undefined }],
    ["conversationId must be a string, not number", "say", { ...SAYING, conversationId: 7 }],
    ["id must have 1000 characters at most", "say", { ...SAYING, id: "x".repeat(1_001) }],
    ["txt is not known here", "say", { ...SAYING, txt: "hi" }],
    ["the request must be an object", "say"],
    ["turnId must be a string, not number", "answerTurn", 7, { text: "hi" }],
    ["reply.text must be a string or a list of strings, not number", "answerTurn", "t", { text: 7 }],
    ["reply.text must be a string or a list of strings, not a list", "answerTurn", "t", { text: [7] }],
    ["reply.media must be a list, not object", "answerTurn", "t", { media: {} }],
    ["reply.media[0].url is missing", "answerTurn", "t", { media: [{ contentType: "image/png" }] }],
    ["reply.usage must be an object, not number", "answerTurn", "t", { usage: 12 }],
    ["reply.complete must be true or false, not string", "answerTurn", "t", { complete: "no" }],
    ["reply.handOff must be a string, not boolean", "answerTurn", "t", { handOff: true }],
    ["reply must be an object, not string", "answerTurn", "t", "hi"],
    ["reply is missing", "answerTurn", "t"],
    ["channel must be a string, not number", "catchUp", { ...SINCE, channel: 7 }],
    ["sinceAtMs must be a number of at least 0, not string", "catchUp", { ...SINCE, sinceAtMs: "yesterday" }],
    ["sinceAtMs is missing", "catchUp", { channel: "test" }],
    ["byNumber must be true or false, not string", "catchUp", { ...SINCE, byNumber: "no" }],
    ["onProgress must be a function, not number", "catchUp", { ...SINCE, onProgress: 7 }],
    ["the request must be an object", "createConversation", null],
  ])("%s", async (words, method, ...given) => {
    const lull = testLull({ respond: () => "hello" });
    const ask = lull.service[method] as (...given: unknown[]) => ReturnType<Service[typeof method]>;
    await expect(ask(...given)).rejects.toMatchObject({
      code: "INVALID_REQUEST",
      message: expect.stringContaining(words),
    });
    await lull.stop();
  });
});

it("null in a late answer is how plain JavaScript says none, and other fields are let be", async () => {
  const lull = testLull({ respond: () => "hello" });
  const reply = { text: "hi", media: null, usage: null, model: "m-1" };
  expect(await lull.service.answerTurn("t", reply as never)).toBe("stale");
  await lull.stop();
});
