import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { eventually } from "../lull-process.ts";
import { type Surroundings, surroundings } from "../service/surroundings.ts";
import { type Attack, attack, head } from "./attack.ts";

const OPERATOR = "token-of-the-operator";
const ACME = "token-of-acme-of-some-length";
const BETA = "token-of-beta-of-some-length";

const tenant = (name: string) => ({
  channels: { [`${name}-web`]: { web: true, secret: { env: `${name}_WEB`.toUpperCase() } } },
  tokens: { api: { env: `${name}_API`.toUpperCase() } },
});

let at: Surroundings;
let url = "";
let current: Attack | undefined;

beforeAll(async () => {
  at = await surroundings({
    LULL_API_TOKEN: OPERATOR,
    ACME_API: ACME,
    BETA_API: BETA,
    ACME_WEB: "web-secret-of-acme-of-some-length",
    BETA_WEB: "web-secret-of-beta-of-some-length",
  });
  const projects = { acme: tenant("acme"), beta: tenant("beta") };
  await writeFile(join(at.folder, "lull.config.json"), JSON.stringify({ projects }));
  url = await (await at.start()).url();
});
afterAll(async () => {
  current?.end();
  await at.end();
});

const ask = (token: string, path: string) =>
  fetch(url + path, { headers: { authorization: `Bearer ${token}`, connection: "close" } });

/** How many ask at once, of one tenant: more than there are places for all others together. */
const CROWD = 150;
const ROUNDS = 8;

function statuses(of: Attack): string[] {
  return of.answers().map((answer) => /^HTTP\/1\.1 (\d+)/.exec(answer)?.[1] ?? "");
}

test("a tenant that asks too much gets 429, and neither another nor the operator does", async () => {
  const [port, told, others] = [Number(new URL(url).port), new Set<string>(), new Set<number>()];
  const request = head("/api/conversations?limit=500", {
    authorization: `Bearer ${ACME}`,
    connection: "close",
  }).replace("POST", "GET");
  for (let round = 0; round < ROUNDS; round += 1) {
    current = attack(port, CROWD, () => request);
    const [answered] = await Promise.all([
      Promise.all([ask(BETA, "/api/conversations"), ask(OPERATOR, "/api/counts"), ask(OPERATOR, "/metrics")]),
      current.over(),
    ]);
    for (const { status } of answered) others.add(status);
    for (const status of statuses(current)) told.add(status);
  }
  expect([...others]).toEqual([200]);
  expect([...told].sort()).toEqual(["200", "429"]);
});

test("a tenant whose bodies never end keeps no body of another or of the operator out", async () => {
  const path = "/api/conversations/c_1/say";
  const headers = { authorization: `Bearer ${ACME}`, "content-type": "application/json" };
  const port = Number(new URL(url).port);
  const bytes = head(path, { ...headers, "content-length": 60_000 }) + "x".repeat(50_000);
  current = attack(port, 400, () => bytes);
  await current.underWay;
  await eventually("no more room", async () => (statuses(current!).includes("429") ? true : undefined));
  for (const token of [BETA, OPERATOR]) {
    const body = JSON.stringify({ text: "hello there. ".repeat(40_000) });
    const init = { method: "POST", body, headers: { authorization: `Bearer ${token}` } };
    expect((await fetch(url + path, init)).status).toBe(404);
  }
});
