import { afterEach, beforeEach, expect, test } from "vitest";
import { type FakeOpenai, fakeItem, fakeOpenai } from "./fake-openai.ts";

const KEY = { authorization: "Bearer sk-test" };

let fake: FakeOpenai;
beforeEach(async () => {
  fake = fakeOpenai();
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
  expect(fake.asked.map(({ n, lastUserText }) => [n, lastUserText])).toEqual([
    [1, "first"],
    [2, "second"],
  ]);
  const [first, second] = fake.asked;
  expect(first?.atMs).toBeLessThanOrEqual(second?.atMs ?? 0);
});

test("an answer may wait for the test to let it go", async () => {
  const gate = Promise.withResolvers<void>();
  fake.behave((_, n) => (n === 1 ? gate.promise.then(() => "late") : "at once"));
  const first = post("a");
  await fake.whenAsked(1);
  expect(await (await post("b")).text()).toContain("at once");
  gate.resolve();
  expect(await (await first).text()).toContain("late");
});

test("a request can be waited for before it is made", async () => {
  const arrival = fake.whenAsked(1);
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
  expect(fake.requests.map(({ method }) => method)).toEqual(["POST", "POST", "GET", "GET", "GET"]);
});

test("other paths, missing keys and broken bodies are refused like OpenAI's, and not recorded", async () => {
  expect((await post("hi", "/assistants")).status).toBe(404);
  expect((await post("hi", "/responses", "none")).status).toBe(401);
  const headers = { authorization: "Bearer sk-test" };
  expect((await fetch(`${fake.url}/responses`, { method: "POST", headers, body: "{" })).status).toBe(400);
  expect(fake.asked).toHaveLength(0);
});

test("how the next calls end may be said once for all: slow, or as OpenAI words an error", async () => {
  fake.behave({ kind: "ok", afterMs: 1 });
  expect(await (await post("hi")).text()).toContain("answer to: hi");
  fake.behave({ kind: "error", status: 429, code: "slow_down", type: "tokens", retryAfterSeconds: 7 });
  const refused = await post("hi");
  expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "7"]);
  expect(refused.headers.get("x-request-id")).toBe("req_2");
  expect(await refused.json()).toMatchObject({ error: { code: "slow_down", type: "tokens", param: null } });
});

test("what it tells a service to use is what it takes", () => {
  expect(fake.environment()).toEqual({
    OPENAI_API_KEY: fake.options().apiKey,
    OPENAI_BASE_URL: fake.options().baseUrl,
  });
  expect(fake.options().baseUrl).toBe(fake.url);
});
