import { afterEach, describe, expect, test } from "vitest";
import { stubService } from "../../test/http/stub-service.ts";
import { web } from "../channels/web/index.ts";
import { memory } from "../engines/memory/index.ts";
import { StoreUnavailable } from "../errors.ts";
import { createLull, type Lull } from "../index.ts";
import type { LogFields } from "../model/log.ts";
import type { EngineProvider } from "../ports/engine.ts";
import type { Service } from "../runtime/service.ts";
import { createEdge } from "./edge.ts";

interface Told {
  readonly event: string;
  readonly fields: LogFields;
}

const told: Told[] = [];
const opened: Lull[] = [];

afterEach(async () => {
  told.length = 0;
  await Promise.all(opened.splice(0).map((lull) => lull.stop(0)));
});

function lullOn(engine: EngineProvider): Lull {
  const lull = createLull({
    engine,
    channels: { web: web({ unsigned: true }) },
    respond: () => "",
    log: (_level, event, fields = {}) => void told.push({ event, fields }),
  });
  opened.push(lull);
  return lull;
}

/** Everything works, but an erase ends in the middle. */
function failing(): EngineProvider {
  const sound = memory();
  return {
    ...sound,
    open: async (context) => {
      const engine = await sound.open(context);
      const erase = async () => {
        throw new StoreUnavailable("the disk is full");
      };
      return { ...engine, conversations: { ...engine.conversations, erase } };
    },
  };
}

function ask(service: Service, method: string, path: string, body: unknown = {}) {
  return createEdge(service)({
    method,
    path,
    search: "",
    query: new URLSearchParams(),
    headers: { host: "localhost" },
    remoteAddress: "127.0.0.1",
    body: async () => Buffer.from(JSON.stringify(body)),
  });
}

const audited = () => told.filter(({ event }) => event.startsWith("api."));
const NEW = { channel: "web", address: "web", sender: "visitor-0001" };

describe("what is changed through the API is told of, with its id", () => {
  test("also where the id comes into being", async () => {
    const lull = lullOn(memory());
    const { status, body } = await ask(lull, "POST", "/api/conversations", NEW);
    expect(status).toBe(201);
    const { id } = JSON.parse(body).conversation;
    expect(audited()).toEqual([{ event: "api.done", fields: { action: "createConversation", id } }]);
  });

  test("also where a turn is answered", async () => {
    const service = stubService();
    expect((await ask(service, "POST", "/api/turns/t_1/reply", { text: "hi" })).status).toBe(202);
    expect(service.logged).toEqual([{ event: "api.done", fields: { action: "replyToTurn", id: "t_1" } }]);
  });

  test("also where it breaks off in the middle", async () => {
    const lull = lullOn(failing());
    await ask(lull, "DELETE", "/api/conversations/c_1");
    const reason = "StoreUnavailable: the disk is full";
    expect(audited()).toEqual([
      { event: "api.failed", fields: { action: "eraseConversation", id: "c_1", reason } },
    ]);
  });

  test("also where only its second part is refused", async () => {
    const lull = lullOn(memory());
    const given = { ...NEW, first_message: "x".repeat(70_000) };
    expect((await ask(lull, "POST", "/api/conversations", given)).status).toBe(413);
    expect(audited()).toMatchObject([
      { event: "api.failed", fields: { action: "createConversation", id: expect.stringMatching(/^c_/) } },
    ]);
  });

  test("and what was refused whole is not", async () => {
    const lull = lullOn(memory());
    expect((await ask(lull, "POST", "/api/conversations", { ...NEW, channel: "fax" })).status).toBe(400);
    expect((await ask(lull, "DELETE", "/api/conversations/no-such-id")).status).toBe(404);
    expect(audited()).toEqual([]);
  });
});

describe("a project's token is named by its project", () => {
  const tokens: Record<string, string> = {
    API: "acme-api-token-of-some-length",
    TURN: "acme-turn-token-is-long",
  };
  const secrets = { get: async (reference: unknown) => tokens[(reference as { env: string }).env] ?? "" };
  const tenants = (engine: EngineProvider) => {
    const acme = {
      channels: { web: web({ unsigned: true }) },
      tokens: { api: { env: "API" }, turn: { env: "TURN" } },
    };
    const log = (_level: string, event: string, fields: LogFields = {}) => void told.push({ event, fields });
    const lull = createLull({ engine, channels: {}, projects: { acme }, respond: () => "", log, secrets });
    opened.push(lull);
    return lull;
  };
  const call = (lull: Lull, token: string, method: string, path: string, body: unknown = {}) => {
    const headers = { authorization: `Bearer ${tokens[token]}`, "content-type": "application/json" };
    const content = method === "POST" ? { body: JSON.stringify(body) } : {};
    return lull.fetch(new Request(`http://localhost${path}`, { method, headers, ...content }));
  };

  test("where something was changed, or broke off", async () => {
    const lull = tenants(failing());
    const made = await call(lull, "API", "POST", "/api/conversations", NEW);
    const { id } = JSON.parse(await made.text()).conversation;
    await call(lull, "API", "DELETE", `/api/conversations/${id}`);
    const by = { project: "acme", caller: "operator" };
    const reason = "StoreUnavailable: the disk is full";
    expect(audited()).toEqual([
      { event: "api.done", fields: { action: "createConversation", id, ...by } },
      { event: "api.failed", fields: { action: "eraseConversation", id, ...by, reason } },
    ]);
  });

  test("where a turn token was used for something else", async () => {
    const lull = tenants(memory());
    expect((await call(lull, "TURN", "GET", "/api/locks")).status).toBe(403);
    expect(audited()).toMatchObject([{ event: "api.refused", fields: { project: "acme" } }]);
  });
});

test("how many wrong tokens there were is told when the service stops, not only a minute later", async () => {
  const lull = createLull({
    engine: memory(),
    channels: { web: web({ unsigned: true }) },
    respond: () => "",
    apiToken: "a-token-of-some-length",
    log: (_level, event, fields = {}) => void told.push({ event, fields }),
  });
  for (let n = 0; n < 3; n += 1) {
    const headers = { authorization: "Bearer not-that-one" };
    const { status } = await lull.fetch(new Request("http://localhost/api/counts", { headers }));
    expect(status).toBe(401);
  }
  await lull.stop(0);
  const refused = told.filter(({ event }) => event.startsWith("api.refus"));
  expect(refused.map(({ event, fields }) => [event, fields.more])).toEqual([
    ["api.refused", undefined],
    ["api.refused", undefined],
    ["api.refused", undefined],
    ["api.refusals", 2],
  ]);
});
