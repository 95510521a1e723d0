import { afterEach, describe, expect, test } from "vitest";
import { web } from "../../src/channels/web/index.ts";
import { memory } from "../../src/engines/memory/index.ts";
import { createLull, type Lull } from "../../src/index.ts";
import type { LogFields } from "../../src/model/log.ts";
import { eventually } from "../lull-process.ts";
import { HOSTS, type Host, type HostOptions } from "./hosts.ts";

const JSON_TYPE = { "content-type": "application/json" };
const OWN = "the host's own\n";

let host: Host | undefined;
afterEach(async () => {
  await host?.close();
  host = undefined;
});

const logged: { event: string; fields: LogFields }[] = [];

function service(): Lull {
  logged.length = 0;
  return createLull({
    engine: memory(),
    channels: { web: web() },
    window: { seconds: 0 },
    aliases: { "/old-webhook": "web" },
    respond: (turn) => `heard ${turn.text}`,
    log: (_level, event, fields = {}) => void logged.push({ event, fields }),
  });
}

function write(url: string, path: string, text = "hi"): Promise<Response> {
  const body = JSON.stringify({ id: text, sender: "visitor-one", text });
  return fetch(`${url}${path}`, { method: "POST", headers: JSON_TYPE, body });
}

const answered = (url: string) =>
  eventually("an answer in the feed", async () => {
    const feed = await (await fetch(`${url}/webhooks/web/feed?sender=visitor-one`)).text();
    return feed.includes("heard hi") ? feed : undefined;
  });

describe.each(Object.entries(HOSTS))("in a server of %s", (name, open) => {
  const opened = async (options: HostOptions) => {
    host = await open(service(), options);
    return host.url;
  };

  test("below a prefix: webhooks, the feed of a visitor, the phone page, health and the API", async () => {
    const url = await opened({ prefix: "/lull" });
    expect((await write(url, "/lull/webhooks/web")).status).toBe(200);
    expect((await write(url, "/lull/old-webhook/", "again")).status).toBe(200);
    await answered(`${url}/lull`);
    const page = await fetch(`${url}/lull?a=b`);
    expect([page.url, page.status]).toEqual([`${url}/lull/?a=b`, 200]);
    expect(await page.text()).toContain("<html");
    expect((await fetch(`${url}/lull/healthz`)).status).toBe(200);
    expect((await fetch(`${url}/lull/healthz`, { method: "HEAD" })).status).toBe(200);
    expect((await fetch(`${url}/lull/api/conversations`)).status).toBe(200);
    expect((await fetch(`${url}/lull/nothing`)).status).toBe(404);
  });

  test("at the root it takes webhooks alone: every other path is the host's", async () => {
    const url = await opened({ prefix: "" });
    expect((await write(url, "/webhooks/web")).status).toBe(200);
    expect((await write(url, "/old-webhook", "again")).status).toBe(200);
    await answered(url);
    for (const path of ["/", "/api/counts"]) expect(await (await fetch(url + path)).text()).toBe(OWN);
  });

  test("a body that was read before is refused, and both the answer and the log say what to do", async () => {
    const url = await opened({ prefix: "/lull", readsBodies: true });
    const refused = await write(url, "/lull/webhooks/web");
    expect(refused.status).toBe(500);
    const { error } = (await refused.json()) as { error: { code: string; message: string } };
    expect(error.code).toBe("BODY_ALREADY_READ");
    expect(error.message).toContain("mount Lull in front of");
    expect(logged.filter(({ event }) => event === "http.error")).toMatchObject([
      { fields: { area: "/webhooks", reason: expect.stringContaining("mount Lull in front of") } },
    ]);
    expect((await fetch(`${url}/lull/healthz`)).status).toBe(200);
  });

  test("a caller who comes through a proxy is not taken for one on this machine", async () => {
    const url = await opened({ prefix: "/lull" });
    for (const claimed of ["203.0.113.9", "127.0.0.1"]) {
      const headers = { "x-forwarded-for": claimed };
      expect((await fetch(`${url}/lull/api/conversations`, { headers })).status, name).toBe(403);
    }
  });
});
