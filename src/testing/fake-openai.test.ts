import { afterEach, beforeEach, expect, test } from "vitest";
import { type FakeOpenAi, fakeOpenAi } from "./fake-openai.ts";

let fake: FakeOpenAi;
beforeEach(async () => {
  fake = fakeOpenAi();
  await fake.start();
});
afterEach(() => fake.stop());

function post(input: unknown, path = "/responses", authorization = "Bearer sk-test"): Promise<Response> {
  return fetch(`${fake.url}${path}`, {
    method: "POST",
    headers: { authorization },
    body: JSON.stringify({ input }),
  });
}

test("requests are recorded in order of arrival, with their times", async () => {
  await post("first");
  await post([
    { role: "user", content: [{ type: "input_text", text: "second" }] },
    { role: "assistant", content: "x" },
  ]);
  expect(fake.requests.map(({ n, lastUserText }) => [n, lastUserText])).toEqual([
    [1, "first"],
    [2, "second"],
  ]);
  const [first, second] = fake.requests;
  expect(first?.atMs).toBeLessThanOrEqual(second?.atMs ?? 0);
});

test("an answer may wait for the test to let it go", async () => {
  const gate = Promise.withResolvers<void>();
  fake.behave((_, n) => (n === 1 ? { after: gate.promise, answer: "late" } : "at once"));
  const first = post("a");
  await fake.arrival(1);
  expect(await (await post("b")).text()).toContain("at once");
  gate.resolve();
  expect(await (await first).text()).toContain("late");
});

test("a request can be waited for before it is made", async () => {
  const arrival = fake.arrival(1);
  await post("hi");
  expect((await arrival).lastUserText).toBe("hi");
});

test("other paths, missing keys and broken bodies are refused like OpenAI's, and not recorded", async () => {
  expect((await post("hi", "/assistants")).status).toBe(404);
  expect((await post("hi", "/responses", "none")).status).toBe(401);
  const headers = { authorization: "Bearer sk-test" };
  expect((await fetch(`${fake.url}/responses`, { method: "POST", headers, body: "{" })).status).toBe(400);
  expect(fake.requests).toHaveLength(0);
});
