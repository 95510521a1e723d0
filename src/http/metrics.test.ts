import { afterEach, describe, expect, test } from "vitest";
import { rawConnection } from "../../test/http/raw-request.ts";
import { serveStub, stubService } from "../../test/http/stub-service.ts";
import { LullError } from "../errors.ts";
import type { Service } from "../runtime/service.ts";
import type { EdgeOptions } from "./edge.ts";
import type { Serving } from "./node.ts";

let serving: Serving | undefined;
afterEach(async () => {
  await serving?.close();
  serving = undefined;
});

const TOKEN = "a token of the operator";
const TURN_TOKEN = "a token for the responders";

async function asked(
  overrides: Partial<Service> = {},
  { headers = {}, method = "GET", edge = {} }: Asked = {},
): Promise<Response> {
  serving = await serveStub(stubService(overrides), { edge });
  return fetch(`${serving.url}/metrics`, { method, headers });
}

interface Asked {
  readonly headers?: Record<string, string>;
  readonly method?: string;
  readonly edge?: EdgeOptions;
}

const bearer = (token: string) => ({ headers: { authorization: `Bearer ${token}` } });

describe("the metrics", () => {
  test("are what Prometheus reads, and no cache keeps them", async () => {
    const answer = await asked();
    expect(answer.status).toBe(200);
    expect(answer.headers.get("content-type")).toBe("text/plain; version=0.0.4; charset=utf-8");
    expect(answer.headers.get("cache-control")).toBe("no-store");
    expect(await answer.text()).toContain('\nlull_turns_committed_total{outcome="replied"} 2\n');
  });

  test.each([
    ["with the token", { apiToken: TOKEN }, bearer(TOKEN), 200],
    ["without it", { apiToken: TOKEN }, {}, 401],
    ["with a wrong one", { apiToken: TOKEN }, bearer("another one, as long"), 401],
    ["with a responder's", { apiToken: TOKEN, turnToken: TURN_TOKEN }, bearer(TURN_TOKEN), 403],
    ["of a public service without a token", { publicUrl: "https://chat.example" }, {}, 403],
    ["through a proxy", {}, { headers: { "x-forwarded-for": "192.0.2.1" } }, 403],
  ] as const)("are guarded as the API is: %s", async (_, overrides, how, status) => {
    const answer = await asked(overrides, how);
    expect(answer.status).toBe(status);
    if (status !== 200) expect(await answer.text()).not.toContain("lull_turns");
  });

  test("do not answer to another name of this machine", async () => {
    serving = await serveStub(stubService());
    const { port } = new URL(serving.url);
    const connection = await rawConnection(Number(port));
    connection.write("GET /metrics HTTP/1.1\r\nhost: rebound.example\r\nconnection: close\r\n\r\n");
    expect(await connection.closed()).toMatch(/^HTTP\/1\.1 403/);
  });

  test("can only be read", async () => {
    const answer = await asked({}, { method: "POST" });
    expect([answer.status, answer.headers.get("allow")]).toEqual([405, "GET"]);
  });

  test.each(["public", "api"] as const)("are not served where a function serves (%s)", async (serves) => {
    const answer = await asked({}, { edge: { serves } });
    expect(answer.status).toBe(404);
    expect(await answer.json()).toMatchObject({ error: { code: "NOT_FOUND" } });
  });

  test("are never half of them: without the parent's word the caller is asked to come back", async () => {
    const metrics = async () => {
      throw new LullError("the parent does not tell", { code: "UNAVAILABLE", retry: "later" });
    };
    expect((await asked({ metrics })).status).toBe(503);
  });
});
