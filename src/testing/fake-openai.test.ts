import { afterEach, beforeEach, expect, test } from "vitest";
import { type FakeOpenAi, fakeItem, fakeOpenAi } from "./fake-openai.ts";

const KEY = { authorization: "Bearer sk-test" };

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

test("it goes on from what it keeps, and lists it; other ids are unknown to it", async () => {
  const items = ["one", "two", "three"].map((text) => fakeItem("user", text));
  fake.keep("resp_1");
  fake.keep("conv_1", items);
  const onward = async (previous_response_id: string) => {
    const body = JSON.stringify({ input: "hi", previous_response_id });
    const response = await fetch(`${fake.url}/responses`, { method: "POST", headers: KEY, body });
    return [response.status, ((await response.json()) as { error?: { code: string } }).error?.code];
  };
  expect(await onward("resp_1")).toEqual([200, undefined]);
  expect(await onward("resp_2")).toEqual([400, "previous_response_not_found"]);
  const listed = async (path: string) => {
    const response = await fetch(`${fake.url}/conversations/${path}`, { headers: KEY });
    return ((await response.json()) as { data?: unknown }).data ?? response.status;
  };
  expect(await listed("conv_1/items?order=desc&limit=2")).toEqual([items[2], items[1]]);
  expect(await listed("conv_1/items?order=asc")).toEqual(items);
  expect(await listed("conv_2/items?order=asc")).toBe(404);
  expect(fake.reads).toHaveLength(3);
});

test("other paths, missing keys and broken bodies are refused like OpenAI's, and not recorded", async () => {
  expect((await post("hi", "/assistants")).status).toBe(404);
  expect((await post("hi", "/responses", "none")).status).toBe(401);
  const headers = { authorization: "Bearer sk-test" };
  expect((await fetch(`${fake.url}/responses`, { method: "POST", headers, body: "{" })).status).toBe(400);
  expect(fake.requests).toHaveLength(0);
});
