import { createHash } from "node:crypto";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { HistoryMessage } from "../../model/history.ts";
import type { Media } from "../../model/message.ts";
import type { FullReply } from "../../model/reply.ts";
import type { Turn } from "../../ports/responder.ts";
import { type FakeOpenai, fakeMessage, fakeOpenai } from "../../testing/fake-openai.ts";
import { fakeTurn } from "../../testing/fake-turn.ts";
import { openai } from "./openai.ts";
import type { OpenAiOptions } from "./options.ts";

let fake: FakeOpenai;
beforeEach(async () => {
  fake = fakeOpenai();
  await fake.start();
});
afterEach(() => fake.stop());

async function ask(turn: Turn, options: OpenAiOptions = {}): Promise<FullReply> {
  const respond = openai({ apiKey: "sk-test", baseUrl: fake.url, ...options });
  return (await respond(turn)) as FullReply;
}

function said(role: "user" | "assistant", text: string, media: readonly Media[] = []): HistoryMessage {
  return { role, text, media, atMs: 1, turnId: "turn-0" };
}

test("the answer is the text of the response, with what it cost", async () => {
  expect(await ask(fakeTurn(["hi", "are you open?"]))).toEqual({
    text: "answer to: hi\nare you open?",
    usage: { promptTokens: 10, completionTokens: 3, totalTokens: 13 },
  });
});

test("nothing is stored at OpenAI, and the customer is named by a hash only", async () => {
  await ask(fakeTurn("hi"), { model: "gpt-6-sol", instructions: "Be brief.", maxOutputTokens: 500 });
  const safety_identifier = createHash("sha256").update("conversation-1").digest("hex");
  expect(fake.asked[0]?.headers.authorization).toBe("Bearer sk-test");
  expect(fake.asked[0]?.body).toEqual({
    model: "gpt-6-sol",
    instructions: "Be brief.",
    input: [{ role: "user", content: "hi" }],
    max_output_tokens: 500,
    store: false,
    safety_identifier,
  });
});

test("the past goes along oldest first, before what is asked now", async () => {
  const history = async () => [
    said("user", "hi"),
    said("assistant", "hello"),
    said("assistant", "a human here"),
  ];
  await ask(fakeTurn("open?", { history }));
  expect(fake.asked[0]?.body.input).toEqual([
    { role: "user", content: "hi" },
    { role: "assistant", content: "hello" },
    { role: "assistant", content: "a human here" },
    { role: "user", content: "open?" },
  ]);
});

test("what got no answer is marked, and that an answer was late is left out", async () => {
  const history = async () => [
    { ...said("user", "are you open?"), unanswered: true },
    { ...said("assistant", "This takes longer."), author: "failure" },
    { ...said("user", ""), unanswered: true },
  ];
  await ask(fakeTurn("hello?", { history }));
  expect(fake.asked[0]?.body.input).toEqual([
    { role: "user", content: "are you open?\n[this got no answer]" },
    { role: "user", content: "[this got no answer]" },
    { role: "user", content: "hello?" },
  ]);
});

test("how much of the past goes along is asked for, and 0 asks for none", async () => {
  const asked: (number | undefined)[] = [];
  const history = async (max?: number) => {
    asked.push(max);
    return [said("user", "before")];
  };
  await ask(fakeTurn("hi", { history }));
  await ask(fakeTurn("hi", { history }), { historyMessagesMax: 4 });
  await ask(fakeTurn("hi", { history }), { historyMessagesMax: 0 });
  expect(asked).toEqual([undefined, 4]);
  expect(fake.asked[2]?.body.input).toHaveLength(1);
});

test("instructions may depend on the turn", async () => {
  await ask(fakeTurn("hi"), { instructions: (turn) => `You speak on ${turn.channel}.` });
  expect(fake.asked[0]?.body.instructions).toBe("You speak on web.");
});

const photo: Media = { url: "https://cdn.example.com/1.jpg", contentType: "image/jpeg" };
const bill: Media = {
  url: "https://cdn.example.com/2.pdf",
  contentType: "application/pdf",
  name: "bill.pdf",
};

test("media are mentioned, not linked: their URLs usually need the channel's credentials", async () => {
  const history = async () => [said("user", "", [photo]), said("assistant", "")];
  await ask(fakeTurn("and this?", { media: [photo, bill], history }));
  expect(fake.asked[0]?.body.input).toEqual([
    { role: "user", content: "[image/jpeg attached]" },
    { role: "user", content: "and this?\n[image/jpeg attached]\n[application/pdf attached: bill.pdf]" },
  ]);
});

test("with `link` the images of this turn are shown to the model, and the rest is mentioned", async () => {
  const history = async () => [said("user", "look", [photo])];
  await ask(fakeTurn("and this?", { media: [photo, bill], history }), { media: "link" });
  expect(fake.asked[0]?.body.input).toEqual([
    { role: "user", content: "look\n[image/jpeg attached]" },
    {
      role: "user",
      content: [
        { type: "input_text", text: "and this?\n[application/pdf attached: bill.pdf]" },
        { type: "input_image", image_url: photo.url, detail: "auto" },
      ],
    },
  ]);
});

test("an image alone can be linked, and a message without anything is still a message", async () => {
  await ask(fakeTurn("", { media: [photo] }), { media: "link" });
  await ask(fakeTurn(""));
  expect(fake.asked[0]?.body.input[0].content).toEqual([
    { type: "input_image", image_url: photo.url, detail: "auto" },
  ]);
  expect(fake.asked[1]?.body.input[0].content).toBe("[a message without text]");
});

test("further fields of the request are the user's to set, over our own", async () => {
  const body = { service_tier: "flex", store: true };
  await ask(fakeTurn("hi"), { body, reasoning: { effort: "low" } });
  expect(fake.asked[0]?.body).toMatchObject({
    service_tier: "flex",
    store: true,
    reasoning: { effort: "low" },
  });
});

test("parts are joined, messages stand on their own lines, and a refusal is the reply", async () => {
  const refusal = { type: "refusal", refusal: "I cannot help with that." };
  fake.behave(() => ({
    kind: "answer",
    response: { output: [{ type: "reasoning" }, fakeMessage("Hel", "lo."), fakeMessage(refusal)] },
  }));
  expect((await ask(fakeTurn("hi"))).text).toBe("Hello.\nI cannot help with that.");
});

test("what the model says to itself before the final answer stays inside", async () => {
  const aloud = { ...fakeMessage("Let me see."), phase: "commentary" };
  fake.behave((_, n) => ({
    kind: "answer",
    response: { output: n === 1 ? [aloud, { ...fakeMessage("Yes."), phase: "final_answer" }] : [aloud] },
  }));
  expect((await ask(fakeTurn("open?"))).text).toBe("Yes.");
  expect((await ask(fakeTurn("open?"))).text).toBe("Let me see.");
});

test("an answer that was cut off is sent as far as it goes", async () => {
  fake.behave(() => ({
    kind: "answer",
    response: {
      status: "incomplete",
      incomplete_details: { reason: "max_output_tokens" },
      output: [fakeMessage("We are open from")],
    },
  }));
  expect((await ask(fakeTurn("open?"))).text).toBe("We are open from");
});

test("a compatible service may leave out status, usage and totals", async () => {
  const output = [fakeMessage("hi")];
  fake.behave((_, n) => ({
    kind: "status",
    status: 200,
    body: JSON.stringify(n === 1 ? { output } : { output, usage: { input_tokens: 4, output_tokens: 2 } }),
  }));
  expect(await ask(fakeTurn("hi"))).toEqual({ text: "hi" });
  expect((await ask(fakeTurn("hi"))).usage).toEqual({ promptTokens: 4, completionTokens: 2, totalTokens: 6 });
});
