import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { serveStub, stubService } from "../../test/http/stub-service.ts";
import { problemsIn, TO_PROGRAMS } from "../schema/problems.ts";
import { ROUTES } from "./api.ts";
import type { Serving } from "./node.ts";
import { publicSchema } from "./public-schema.ts";

const service = stubService({ settings: { bodyBytesMax: 1_000 } });
let serving: Serving;
beforeAll(async () => {
  serving = await serveStub(service);
});
afterAll(() => serving.close(0));
beforeEach(() => {
  service.calls.length = 0;
});

/** Whatever an answer may hold; a test looks at what it asked for. */
interface Answered {
  readonly error: { readonly code: string; readonly message: string };
  readonly created: boolean;
  readonly first_message: string;
  readonly conversation: unknown;
  readonly lock: { readonly window: { readonly due_at: string } };
  readonly staged: readonly unknown[];
  readonly openapi: string;
  readonly paths: Record<string, Record<string, { readonly parameters: { readonly in: string }[] }>>;
  readonly components: { readonly schemas: Record<string, unknown> };
}

async function call(method: string, path: string, body?: unknown) {
  const answer = await fetch(serving.url + path, {
    method,
    ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
  });
  return { status: answer.status, headers: answer.headers, body: (await answer.json()) as Answered };
}

const create = { channel: "whatsapp", address: "+15550100", sender: "+15550123" };

/** Each route once, successfully: the request, the call of the engine, the status. */
const SPELT = ["+15550101", "15550101", "whatsapp:+15550101", "whatsapp:15550101"];

const CASES: [string, string, unknown, unknown[] | undefined, number][] = [
  [
    "GET",
    "/api/conversations?search=ana&active=true&limit=7&cursor=x",
    undefined,
    ["conversations", { search: "ana", active: true, limit: 7, cursor: "x" }],
    200,
  ],
  [
    "POST",
    "/api/conversations",
    create,
    ["create", { channelType: "whatsapp", address: "+15550100", sender: "+15550123" }],
    201,
  ],
  ["GET", "/api/conversations/c_1", undefined, ["conversation", "c_1"], 200],
  ["DELETE", "/api/conversations/c_1", undefined, ["erase", "c_1"], 200],
  [
    "POST",
    "/api/conversations/c_1/say",
    { text: "hi", id: "1" },
    ["service.say", { conversationId: "c_1", text: "hi", id: "1", author: "api" }],
    202,
  ],
  ["POST", "/api/conversations/c_1/close", undefined, ["change", "c_1", { taskComplete: true }], 200],
  ["POST", "/api/conversations/c_1/pause", undefined, ["change", "c_1", { paused: true }], 200],
  ["POST", "/api/conversations/c_1/resume", {}, ["change", "c_1", { paused: false }], 200],
  [
    "POST",
    "/api/conversations/c_1/hand-off",
    { reason: "angry" },
    ["change", "c_1", { handedOff: true, handOffReason: "angry" }],
    200,
  ],
  ["POST", "/api/conversations/c_1/hand-back", undefined, ["change", "c_1", { handedOff: false }], 200],
  ["POST", "/api/turns/t_1/reply", { text: "late" }, ["service.answerTurn", "t_1", { text: "late" }], 202],
  ["GET", "/api/locks", undefined, ["locks", { limit: 50 }], 200],
  ["GET", "/api/dead?limit=500", undefined, ["dead", { limit: 500 }], 200],
  ["GET", "/api/unknown", undefined, ["unknown", { limit: 50 }], 200],
  ["GET", "/api/refusals?cursor=abc", undefined, ["refusals", { limit: 50, cursor: "abc" }], 200],
  ["GET", "/api/quarantined", undefined, ["quarantined", { limit: 50 }], 200],
  ["GET", "/api/counts", undefined, ["counts"], 200],
  ["POST", "/api/dead/d%2F1/retry", undefined, ["retryDead", "d/1"], 200],
  ["POST", "/api/dead/d%2F1/discard", undefined, ["discardDead", "d/1"], 200],
  ["DELETE", "/api/dead/d%2F1", undefined, ["discardDead", "d/1"], 200],
  ["POST", "/api/unknown/u_1/mark", { as: "not-sent" }, ["markUnknown", "u_1"], 200],
  ["POST", "/api/unknown/u_1/resend", undefined, ["resendUnknown", "u_1"], 200],
  [
    "POST",
    "/api/find-person",
    { customer: "visitor-0001" },
    ["find", { names: ["visitor-0001"], isThorough: false }],
    200,
  ],
  [
    "POST",
    "/api/erase-person",
    { customer: "+15550101", thorough: true },
    ["find", { names: SPELT, isThorough: true }],
    202,
  ],
  [
    "POST",
    "/api/export-person?limit=10",
    { customer: "+15550101", channel: "whatsapp" },
    ["find", { names: SPELT, isThorough: false }],
    200,
  ],
  [
    "POST",
    "/api/erase-synthetic",
    { run: "0a1b2c3d" },
    ["conversations", { search: "lull-load-test-0a1b2c3d-", limit: 100 }],
    200,
  ],
  ["GET", "/api/projects", undefined, ["projectChanges"], 200],
  [
    "POST",
    "/api/projects/default",
    { status: "archived", allowed_channels: ["all"] },
    ["changeProject", "default", { status: "archived", allowedChannels: null }],
    200,
  ],
  ["POST", "/api/projects/default/reset", undefined, ["changeProject", "default", undefined], 200],
  ["POST", "/api/pause", undefined, ["pauseAll", true], 200],
  ["POST", "/api/resume", undefined, ["pauseAll", false], 200],
  ["GET", "/api/openapi.json", undefined, undefined, 200],
];

function routeOf(method: string, path: string) {
  const [, , kind, id, ...rest] = (path.split("?")[0] ?? "").split("/");
  const pattern = ["/api", kind, ...(id === undefined ? [] : ["{id}"]), ...rest].join("/");
  return ROUTES.find((route) => route.method === method && route.path === pattern);
}

test.each(CASES)(
  "%s %s does what it says, and answers as documented",
  async (method, path, body, asked, status) => {
    const answer = await call(method, path, body);
    expect(answer.status).toBe(status);
    if (asked) expect(service.calls).toContainEqual(asked);
    const schema = routeOf(method, path)?.answers[status]?.schema;
    expect(schema && problemsIn(answer.body, publicSchema(schema), "", TO_PROGRAMS)).toEqual([]);
    expect(answer.headers.get("cache-control")).toBe("no-store");
  },
);

test("every route has a case above and a place in the OpenAPI document", async () => {
  const { body } = await call("GET", "/api/openapi.json");
  expect(body.openapi).toBe("3.1.0");
  const documented = Object.entries(body.paths)
    .flatMap(([path, operations]) =>
      Object.keys(operations).map((method) => `${method.toUpperCase()} ${path}`),
    )
    .sort();
  const routes = ROUTES.map(({ method, path }) => `${method} ${path}`).sort();
  expect(documented).toEqual([...routes, "POST /webhooks/{channel}", "GET /webhooks/{channel}/feed"].sort());
  const tried = CASES.map(([method, path]) => routeOf(method, path)).map(
    (route) => `${route?.method} ${route?.path}`,
  );
  expect(tried.sort()).toEqual(routes);
  expect(new Set(ROUTES.map(({ operation }) => operation)).size).toBe(ROUTES.length);
});

test("every reference in the document leads somewhere, and every id in a path is a parameter", async () => {
  const { body } = await call("GET", "/api/openapi.json");
  const references = [...JSON.stringify(body).matchAll(/"#\/components\/schemas\/(\w+)"/g)].map(
    ([, name]) => name,
  );
  expect(references.length).toBeGreaterThan(20);
  expect(references.filter((name) => body.components.schemas[name ?? ""] === undefined)).toEqual([]);
  for (const [path, operations] of Object.entries(body.paths)) {
    for (const { parameters } of Object.values(operations)) {
      expect(parameters.some((each) => each.in === "path")).toBe(path.includes("{"));
    }
  }
});

test("no description in the document spells a code as if it were a property", async () => {
  const { body } = await call("GET", "/api/openapi.json");
  const descriptions = [...JSON.stringify(body).matchAll(/"description":"((?:[^"\\]|\\.)*)"/g)].map(
    ([, description]) => description!,
  );
  expect(descriptions.some((each) => each.includes("`PROJECT_INACTIVE`"))).toBe(true);
  expect(descriptions.filter((each) => /_[a-z]_[a-z]_/.test(each))).toEqual([]);
});

test("the public form is snake_case, ISO times and seconds; the user's own data stays as it is", async () => {
  const { body } = await call("GET", "/api/conversations/c_1");
  expect(body.conversation).toMatchObject({
    channel_type: "web",
    window: { quiet_seconds: 4, max_seconds: 20 },
    attributes: { camelCase: { stillCamel: 1 } },
    created_at: "2025-11-15T07:59:00.000Z",
  });
  expect(body.lock.window.due_at).toBe("2025-11-15T08:00:07.000Z");
  expect(body.staged[0]).toMatchObject({ provider_id: "visitor-0001/m-3", fields: { ProfileName: "Ana" } });
  expect(JSON.stringify({ ...body, conversation: 0, staged: 0 })).not.toMatch(/"[a-z]+[A-Z]\w*":/);
});

test("a new conversation takes a window, rules, the user's own data and a first message", async () => {
  const { body, status } = await call("POST", "/api/conversations", {
    ...create,
    channel_type: "whatsapp",
    sender_alias: "+15550124",
    window: { quiet_seconds: 2 },
    allowed_channels: ["whatsapp"],
    attributes: { orderId: 7 },
    first_message: "Hello!",
  });
  expect([status, body.created, body.first_message]).toEqual([201, true, "staged"]);
  expect(service.calls).toContainEqual([
    "create",
    {
      channelType: "whatsapp",
      address: "+15550100",
      sender: "+15550123",
      senderAlias: "+15550124",
      window: { kind: "quiet", quietMs: 2_000, maxMs: 10_000 },
      allowedChannels: ["whatsapp"],
      attributes: { orderId: 7 },
    },
  ]);
  const said = { conversationId: "c_1", text: "Hello!", author: "api", id: "first-c_1", channel: "whatsapp" };
  expect(service.calls).toContainEqual(["service.say", said]);
});

test("a conversation that was there already is a 200", async () => {
  const { status, body } = await call("POST", "/api/conversations", {
    ...create,
    sender: "known",
    window: { seconds: 5 },
  });
  expect([status, body.created]).toEqual([200, false]);
});

test.each([
  [{}, "address is missing; sender is missing"],
  [{ address: "a", sender: "b" }, "channel or channel_type is missing"],
  [{ ...create, channel: "fax" }, "there are whatsapp, web"],
  [{ address: "a", sender: "b", channel_type: "fax" }, "there are whatsapp, web"],
  [{ ...create, channel_type: "sms" }, "channel whatsapp is of type whatsapp, not sms"],
  [{ ...create, sender: 7 }, "sender must be a string, not number"],
  [{ ...create, sender: "  " }, "sender must not be empty"],
  [{ ...create, adress: "x" }, "adress is not known here"],
  [{ ...create, window: {} }, "window needs either seconds"],
  [{ ...create, window: { seconds: 1, quiet_seconds: 1 } }, "window needs either seconds"],
  [{ ...create, window: { seconds: -1 } }, "window.seconds must be a number from 0 to 604800"],
  [
    { ...create, window: { quiet_seconds: 9, max_seconds: 3 } },
    "window.max_seconds must not be less than quiet_seconds",
  ],
  [{ ...create, allowed_channels: ["a", null] }, "allowed_channels[1] must be a string, not null"],
  [{ ...create, attributes: [] }, "attributes must be an object, not a list"],
  ["[]", "the body must be an object, not a list"],
  ["{", "the body is not JSON"],
])("creating with %j is refused and says what is wrong", async (body, message) => {
  const answer = await call("POST", "/api/conversations", body);
  expect(answer.status).toBe(400);
  expect(answer.body.error.message).toContain(message);
  expect(service.calls).toEqual([]);
});

test.each(["0", "501", "1.5", "ten"])("a limit of %s is refused", async (limit) => {
  const { status, body } = await call("GET", `/api/conversations?limit=${limit}`);
  expect([status, body.error.message]).toEqual([400, expect.stringContaining("limit must be")]);
});

test("active takes true and false, nothing else", async () => {
  await call("GET", "/api/conversations?active=false");
  expect(service.calls).toEqual([["conversations", { limit: 50, active: false }]]);
  expect((await call("GET", "/api/conversations?active=maybe")).status).toBe(400);
});

test("saying something again under the same id is told apart", async () => {
  const { status, body } = await call("POST", "/api/conversations/c_1/say", { text: "hi", id: "again" });
  expect([status, body]).toEqual([200, { result: "duplicate" }]);
  expect((await call("POST", "/api/conversations/c_1/say", { text: "hi", channel: "fax" })).status).toBe(400);
  expect((await call("POST", "/api/conversations/c_1/say", {})).body.error.message).toBe("text is missing");
});

test("a late answer carries messages, usage, media, completion and a hand-off", async () => {
  await call("POST", "/api/turns/t_1/reply", {
    messages: ["one", "two"],
    usage: { prompt_tokens: 3, completion_tokens: 4 },
    media: [{ url: "https://example.test/x.png", content_type: "image/png" }],
    complete: true,
    hand_off: "asked for a person",
  });
  const reply = {
    text: ["one", "two"],
    usage: { promptTokens: 3, completionTokens: 4, totalTokens: 7 },
    media: [{ url: "https://example.test/x.png", contentType: "image/png" }],
    complete: true,
    handOff: "asked for a person",
  };
  expect(service.calls).toEqual([["service.answerTurn", "t_1", reply]]);
  expect((await call("POST", "/api/turns/t_1/reply", { text: "a", messages: ["b"] })).status).toBe(400);
});

test("a late answer to a turn that is over is a conflict", async () => {
  const { status, body } = await call("POST", "/api/turns/t_0/reply", { text: "late" });
  expect([status, body.error.code]).toEqual([409, "STALE_TURN"]);
});

test.each([
  ["GET", "/api/conversations/c_2"],
  ["DELETE", "/api/conversations/c_2"],
  ["POST", "/api/conversations/c_2/pause"],
  ["POST", "/api/dead/d_2/retry"],
  ["DELETE", "/api/dead/d_2"],
  ["POST", "/api/unknown/u_2/resend"],
  ["GET", "/api"],
  ["GET", "/api/nothing"],
  ["GET", "/api/conversations/c_1/nothing"],
  ["GET", "/api/conversations/%E0%A4%A"],
])("%s %s is not there", async (method, path) => {
  const { status, body } = await call(method, path);
  expect([status, body.error.code]).toEqual([404, "NOT_FOUND"]);
});

test.each(["/api/dead/passed_on/retry", "/api/unknown/passed_on/resend"])(
  "POST %s is a conflict where it could only reach another person",
  async (path) => {
    const { status, body } = await call("POST", path);
    expect([status, body.error.code]).toEqual([409, "NUMBER_PASSED_ON"]);
  },
);

test("the wrong method is told the right ones", async () => {
  const answer = await call("PUT", "/api/conversations");
  expect([answer.status, answer.headers.get("allow")]).toEqual([405, "GET, POST"]);
});

test("a body past the limit is refused", async () => {
  const { status, body } = await call("POST", "/api/conversations", {
    ...create,
    first_message: "x".repeat(1_000),
  });
  expect([status, body.error.code]).toEqual([413, "PAYLOAD_TOO_LARGE"]);
});

test("an id that nothing can have is not found", async () => {
  for (const id of ["x".repeat(1_025), encodeURIComponent("\u{1f600}".repeat(300))])
    expect((await call("GET", `/api/conversations/${id}`)).status).toBe(404);
});
