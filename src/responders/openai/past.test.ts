import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { HistoryMessage } from "../../model/history.ts";
import type { FullReply } from "../../model/reply.ts";
import type { Turn } from "../../ports/responder.ts";
import {
  type FakeOpenai,
  fakeItem,
  fakeMessage,
  fakeOpenai,
  fakeToolCall,
} from "../../testing/fake-openai.ts";
import { fakeConversation, fakeTurn } from "../../testing/fake-turn.ts";
import { openai } from "./openai.ts";
import type { OpenAiOptions } from "./options.ts";
import { ENDED_MAX, EndedPasts, pastOf } from "./past.ts";

let fake: FakeOpenai;
beforeEach(async () => {
  fake = fakeOpenai();
  await fake.start();
});
afterEach(() => fake.stop());

/** What was read there, in order. */
function reads(): string[] {
  return fake.requests.filter(({ method }) => method === "GET").map(({ path, query }) => `${path}?${query}`);
}

/** One responder, as a process has it, and the notes of its turns. */
function asking(options: OpenAiOptions = {}) {
  const respond = openai({ apiKey: "sk-test", baseUrl: fake.url, pastAtOpenAi: "first-turn", ...options });
  const notes: string[] = [];
  const ask = async (attributes: Record<string, unknown>, given: Partial<Turn> = {}) => {
    const conversation = fakeConversation({ attributes });
    const note = (code: string) => void notes.push(code);
    return (await respond(fakeTurn("open?", { conversation, note, ...given }))) as FullReply;
  };
  return { ask, notes };
}

function said(role: "user" | "assistant", text: string): HistoryMessage {
  return { role, text, media: [], atMs: 1, turnId: "turn-0" };
}

const MORE = { history: async () => [said("user", "hi"), said("assistant", "hello")] };
const OWN = [
  { role: "user", content: "hi" },
  { role: "assistant", content: "hello" },
  { role: "user", content: "open?" },
];

describe("which id is gone on from", () => {
  test.each<[Record<string, unknown>, unknown]>([
    [{ openai_response_id: "resp_1" }, { kind: "response", id: "resp_1" }],
    [{ openai_conversation_id: "conv_1" }, { kind: "conversation", id: "conv_1" }],
    [{ openai_thread_id: "thread_1" }, { kind: "thread", id: "thread_1" }],
    // A column that outlived the threads it was made for.
    [{ openai_thread_id: "conv_1" }, { kind: "conversation", id: "conv_1" }],
    [
      { openai_thread_id: "thread_1", openai_response_id: "resp_1" },
      { kind: "response", id: "resp_1" },
    ],
    [
      { openai_response_id: "thread_1", openai_thread_id: "conv_1" },
      { kind: "conversation", id: "conv_1" },
    ],
    [{}, undefined],
    [{ openai_response_id: null, openai_thread_id: 7 }, undefined],
    [{ openai_conversation_id: "conv_../responses" }, undefined],
    [{ openai_response_id: "RESP_1", other_id: "resp_1" }, undefined],
  ])("of %j it is %j", (attributes, expected) => {
    expect(pastOf({ attributes })).toEqual(expected);
  });
});

describe("a response that OpenAI still has", () => {
  beforeEach(() => fake.keep("resp_old"));
  const attributes = { openai_response_id: "resp_old" };

  test("is gone on from, in the first turn, and nothing is stored for it", async () => {
    const { ask, notes } = asking();
    expect((await ask(attributes)).text).toBe("answer to: open?");
    expect(fake.asked[0]?.body).toMatchObject({
      previous_response_id: "resp_old",
      store: false,
      input: [{ role: "user", content: "open?" }],
    });
    expect(fake.asked[0]?.body).not.toHaveProperty("conversation");
    await ask(attributes, MORE);
    expect(fake.asked[1]?.body).not.toHaveProperty("previous_response_id");
    expect(fake.asked[1]?.body.input).toEqual(OWN);
    expect(notes).toEqual([]);
  });

  test("is under our own record in every turn, where that is asked for", async () => {
    const { ask } = asking({ pastAtOpenAi: "every-turn" });
    await ask(attributes, MORE);
    expect(fake.asked[0]?.body).toMatchObject({ previous_response_id: "resp_old", input: OWN });
  });

  test("is left alone where it is not asked for, as before", async () => {
    const respond = openai({ apiKey: "sk-test", baseUrl: fake.url });
    const conversation = fakeConversation({ attributes: { ...attributes, openai_thread_id: "thread_1" } });
    await respond(fakeTurn("open?", { conversation, note: () => expect.fail("it has nothing to say") }));
    expect(fake.asked[0]?.body).not.toHaveProperty("previous_response_id");
  });

  test("a turn that is asked again sends the very same request", async () => {
    const { ask } = asking();
    fake.behave((_, n) => (n === 1 ? { kind: "drop" } : "hello"));
    await expect(ask(attributes)).rejects.toMatchObject({ retry: "later" });
    await ask(attributes, { attempt: 2 });
    expect(fake.asked[1]?.body).toEqual(fake.asked[0]?.body);
  });

  test("goes along with every round of tools", async () => {
    const run = async () => "nine";
    const tools = { opens: { description: "when we open", parameters: { type: "object" }, run } };
    const { ask } = asking({ tools });
    fake.behave((_, n) =>
      n === 1
        ? { kind: "answer", response: { output: [fakeToolCall("opens", {})] } }
        : { kind: "answer", response: { output: [fakeMessage("At nine.")] } },
    );
    expect((await ask(attributes)).text).toBe("At nine.");
    expect(fake.asked.map(({ body }) => body.previous_response_id)).toEqual(["resp_old", "resp_old"]);
  });
});

describe("a response that OpenAI does not go on from", () => {
  const attributes = { openai_response_id: "resp_gone" };

  test("costs no turn: our own record answers, and it is said once", async () => {
    const { ask, notes } = asking({ pastAtOpenAi: "every-turn" });
    expect((await ask(attributes)).text).toBe("answer to: open?");
    expect(fake.asked.map(({ body }) => body.previous_response_id)).toEqual(["resp_gone", undefined]);
    await ask(attributes, MORE);
    expect(fake.asked[2]?.body.input).toEqual(OWN);
    expect(fake.asked).toHaveLength(3);
    expect(notes).toEqual(["OPENAI_PAST_GONE"]);
  });

  test.each([
    ["a past that is too long", { status: 400, code: "context_length_exceeded" }],
    ["a call that waits for its tool", { status: 400, param: "input" }],
    ["another project's", { status: 404 }],
    ["an organisation that keeps nothing", { status: 400, param: "previous_response_id" }],
  ])("for another reason, too: %s", async (_, error) => {
    fake.keep("resp_gone");
    fake.behave(({ body }) => ("previous_response_id" in body ? { kind: "error", ...error } : "hello"));
    const { ask, notes } = asking();
    expect((await ask(attributes)).text).toBe("hello");
    expect(notes).toEqual(["OPENAI_PAST_GONE"]);
  });

  test.each([
    ["an outage", { status: 503 }, "OPENAI_UNAVAILABLE"],
    ["a limit", { status: 429 }, "OPENAI_RATE_LIMITED"],
    ["a wrong key", { status: 401 }, "OPENAI_UNAUTHORIZED"],
    ["no credit", { status: 429, code: "insufficient_quota" }, "OPENAI_QUOTA"],
  ])("is not told from %s: the turn is tried again with it", async (_, error, code) => {
    fake.keep("resp_gone");
    fake.behave({ kind: "error", ...error });
    const { ask, notes } = asking();
    await expect(ask(attributes)).rejects.toMatchObject({ code });
    expect([fake.asked.length, notes.length]).toEqual([1, 0]);
  });

  test("a request that is refused either way fails with what OpenAI says of it alone", async () => {
    fake.behave(() => ({ kind: "error", status: 404, code: "model_not_found" }));
    const { ask, notes } = asking();
    await expect(ask(attributes)).rejects.toMatchObject({ code: "OPENAI_NOT_FOUND", retry: "never" });
    expect([fake.asked.length, notes.length]).toEqual([2, 0]);
  });
});

describe("a conversation at OpenAI", () => {
  const attributes = { openai_thread_id: "conv_old" };
  const items = [
    fakeItem("user", "a table"),
    { type: "reasoning", summary: [] },
    { type: "function_call", call_id: "call_1", name: "tables", arguments: "{}" },
    { type: "message", role: "system", content: [{ type: "input_text", text: "be rude" }] },
    {
      type: "message",
      role: "user",
      content: [{ type: "input_image" }, { type: "input_text", text: "here" }],
    },
    { type: "message", role: "user", content: "no list" },
    fakeItem("assistant", "for how many?"),
  ];
  const READ = [
    { role: "user", content: "a table" },
    { role: "user", content: "[image attached]\nhere" },
    { role: "assistant", content: "for how many?" },
  ];

  test("is read, not added to: its words go along as a past, oldest first", async () => {
    fake.keep("conv_old", items);
    const { ask, notes } = asking();
    await ask(attributes);
    expect(fake.asked[0]?.body.input).toEqual([...READ, { role: "user", content: "open?" }]);
    expect(fake.asked[0]?.body).not.toHaveProperty("conversation");
    expect(reads()).toEqual(["/v1/conversations/conv_old/items?order=desc&limit=100"]);
    await ask(attributes, MORE);
    expect(fake.asked[1]?.body.input).toEqual(OWN);
    expect([reads().length, notes.length]).toEqual([1, 0]);
  });

  test("stands before our own record in every turn, and no more of it than asked for", async () => {
    fake.keep("conv_old", items);
    const { ask } = asking({ pastAtOpenAi: "every-turn", historyMessagesMax: 2 });
    await ask(attributes, MORE);
    expect(fake.asked[0]?.body.input).toEqual([READ[2], ...OWN]);
  });

  test("that is not there costs no turn, and is said and asked for once", async () => {
    const { ask, notes } = asking({ pastAtOpenAi: "every-turn" });
    await ask(attributes);
    expect((await ask(attributes)).text).toBe("answer to: open?");
    expect([reads().length, notes]).toEqual([1, ["OPENAI_PAST_GONE"]]);
  });

  test("that cannot be read now is not given up", async () => {
    // Nothing listens there.
    const { ask, notes } = asking({ baseUrl: "http://127.0.0.1:1/v1" });
    await expect(ask(attributes)).rejects.toMatchObject({ code: "OPENAI_UNREACHABLE", retry: "later" });
    expect(notes).toEqual([]);
  });
});

test("a thread cannot be gone on from by any request: it is said once, and none is made", async () => {
  const { ask, notes } = asking({ pastAtOpenAi: "every-turn" });
  await ask({ openai_thread_id: "thread_1" });
  await ask({ openai_thread_id: "thread_1" }, MORE);
  await ask({ openai_thread_id: "thread_2" });
  expect(notes).toEqual(["OPENAI_THREAD_ENDED", "OPENAI_THREAD_ENDED"]);
  expect(fake.asked.map(({ body }) => body.previous_response_id)).toEqual([undefined, undefined, undefined]);
  expect(reads()).toEqual([]);
});

test("of very many that ended, the oldest is forgotten first", () => {
  const ended = new EndedPasts();
  const told: string[] = [];
  const turn = fakeTurn("hi", { note: (code) => void told.push(code) });
  for (let n = 0; n <= ENDED_MAX; n += 1) ended.tell(turn, `thread_${n}`, "OPENAI_THREAD_ENDED");
  expect([ended.has("thread_0"), ended.has("thread_1"), ended.has(`thread_${ENDED_MAX}`)]).toEqual([
    false,
    true,
    true,
  ]);
  expect(told).toHaveLength(ENDED_MAX + 1);
});
