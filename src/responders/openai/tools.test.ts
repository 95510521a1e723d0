import { afterEach, beforeEach, expect, test } from "vitest";
import type { FullReply } from "../../model/reply.ts";
import type { Turn } from "../../ports/responder.ts";
import { type FakeOpenai, fakeMessage, fakeOpenai, fakeToolCall } from "../../testing/fake-openai.ts";
import { fakeTurn } from "../../testing/fake-turn.ts";
import { openai } from "./openai.ts";
import type { OpenAiOptions } from "./options.ts";
import type { OpenAiTool } from "./tools.ts";

let fake: FakeOpenai;
beforeEach(async () => {
  fake = fakeOpenai();
  await fake.start();
});
afterEach(() => fake.stop());

async function ask(turn: Turn, options: OpenAiOptions): Promise<FullReply> {
  return (await openai({ apiKey: "sk-test", baseUrl: fake.url, ...options })(turn)) as FullReply;
}

function tool(run: OpenAiTool["run"]): OpenAiTool {
  return { description: "Tables left", parameters: { type: "object", properties: {} }, run };
}

const thought = { id: "rs_1", type: "reasoning", summary: [], encrypted_content: "opaque" };

test("the model calls a tool, gets its result, and answers; the cost of both is added up", async () => {
  const call = fakeToolCall("tables_left", { day: "friday" });
  fake.behave((_, n) =>
    n === 1 ? { kind: "answer", response: { output: [thought, call] } } : "Two tables left.",
  );
  const heard: unknown[] = [];
  const tables_left = tool((args, turn) => {
    heard.push(args, turn.id);
    return { left: 2 };
  });
  const reply = await ask(fakeTurn("friday?"), { tools: { tables_left } });
  expect(reply).toEqual({
    text: "Two tables left.",
    usage: { promptTokens: 20, completionTokens: 6, totalTokens: 26 },
  });
  expect(heard).toEqual([{ day: "friday" }, "turn-1"]);
  expect(fake.asked[0]?.body).toMatchObject({
    include: ["reasoning.encrypted_content"],
    tools: [{ type: "function", name: "tables_left", description: "Tables left", strict: false }],
  });
  expect(fake.asked[1]?.body.input).toEqual([
    { role: "user", content: "friday?" },
    thought,
    call,
    { type: "function_call_output", call_id: "call_1", output: '{"left":2}' },
  ]);
});

test("calls of one round run side by side and are answered in their order", async () => {
  const calls = [fakeToolCall("slow", {}, "a"), fakeToolCall("quick", {}, "b")];
  fake.behave((_, n) => (n === 1 ? { kind: "answer", response: { output: calls } } : "done"));
  const quickRan = Promise.withResolvers<string>();
  const slow = tool(() => quickRan.promise);
  const quick = tool(() => quickRan.resolve("from quick"));
  await ask(fakeTurn("go"), { tools: { slow, quick } });
  const outputs = fake.asked[1]?.body.input.slice(-2);
  expect(outputs).toMatchObject([
    { call_id: "a", output: "from quick" },
    { call_id: "b", output: "done" },
  ]);
});

test("the model's own slips are told to it", async () => {
  const calls = [
    fakeToolCall("toString", {}, "a"),
    fakeToolCall("known", "{broken", "b"),
    fakeToolCall("known", "[1]", "c"),
    fakeToolCall("known", "", "d"),
  ];
  fake.behave((_, n) => (n === 1 ? { kind: "answer", response: { output: calls } } : "sorry"));
  await ask(fakeTurn("go"), { tools: { known: tool(() => "fine") } });
  const outputs = fake.asked[1]?.body.input.slice(-4).map(({ output }: { output: string }) => output);
  expect(outputs).toEqual([
    "error: there is no tool of this name",
    "error: the arguments are not a JSON object",
    "error: the arguments are not a JSON object",
    "fine",
  ]);
});

test("a tool that throws fails the turn with its own error", async () => {
  fake.behave(() => ({ kind: "answer", response: { output: [fakeToolCall("broken", {})] } }));
  const broken = tool(() => {
    throw new Error("the booking system is down");
  });
  await expect(ask(fakeTurn("go"), { tools: { broken } })).rejects.toThrow("the booking system is down");
  expect(fake.asked).toHaveLength(1);
});

test("after the last round the model may no longer call, it has to answer", async () => {
  fake.behave(({ body }) =>
    body.tool_choice === "none"
      ? "what I know so far"
      : { kind: "answer", response: { output: [fakeToolCall("again", {})] } },
  );
  let runs = 0;
  const again = tool(() => {
    runs += 1;
  });
  const reply = await ask(fakeTurn("go"), { tools: { again }, toolRoundsMax: 3 });
  expect(reply.text).toBe("what I know so far");
  expect([runs, fake.asked.length]).toEqual([3, 4]);
});

test("a model that calls on even then has said nothing", async () => {
  fake.behave(() => ({ kind: "answer", response: { output: [fakeToolCall("again", {})] } }));
  const asked = ask(fakeTurn("go"), { tools: { again: tool(() => "") }, toolRoundsMax: 1 });
  await expect(asked).rejects.toMatchObject({ code: "OPENAI_EMPTY" });
});

test("a call that was cut off is not run", async () => {
  fake.behave(() => ({
    kind: "answer",
    response: {
      status: "incomplete",
      incomplete_details: { reason: "max_output_tokens" },
      output: [fakeMessage("One moment."), fakeToolCall("book", { day: "fri" })],
    },
  }));
  let runs = 0;
  const book = tool(() => {
    runs += 1;
  });
  expect((await ask(fakeTurn("go"), { tools: { book } })).text).toBe("One moment.");
  expect([runs, fake.asked.length]).toEqual([0, 1]);
});

test("when the turn is aborted while a tool runs, the model is not asked again", async () => {
  const controller = new AbortController();
  fake.behave(() => ({ kind: "answer", response: { output: [fakeToolCall("wait", {})] } }));
  const wait = tool(() => controller.abort(new Error("newer messages")));
  const asked = ask(fakeTurn("go", { signal: controller.signal }), { tools: { wait } });
  await expect(asked).rejects.toThrow("newer messages");
  expect(fake.asked).toHaveLength(1);
});

test("tools of OpenAI's own stand beside ours, and `include` can be taken out", async () => {
  const body = { tools: [{ type: "web_search" }], include: [] };
  await ask(fakeTurn("go"), { tools: { mine: tool(() => "") }, body });
  expect(fake.asked[0]?.body.tools).toMatchObject([{ name: "mine" }, { type: "web_search" }]);
  expect(fake.asked[0]?.body.include).toEqual([]);
});
