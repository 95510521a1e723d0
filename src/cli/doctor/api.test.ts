import { expect, it } from "vitest";
import { checkApi } from "./api.ts";

const LONG = "a-token-of-sixteen-or-more";
const OTHER = "another-token-of-that-length";

function check(given: Partial<Parameters<typeof checkApi>[0]>) {
  return checkApi({
    apiToken: undefined,
    turnToken: undefined,
    projectTokens: {},
    publicUrl: undefined,
    secrets: { get: async (reference) => String(reference) },
    ...given,
  });
}

it("a token that is short is told by its name, also a project's", async () => {
  const [found] = await check({ apiToken: LONG, projectTokens: { acme: { turn: "short" } } });
  expect(found).toMatchObject({
    verdict: "fail",
    detail: expect.stringContaining("projects.acme.tokens.turn"),
  });
});

it("a project's token that cannot be read is that project's problem, and no other's", async () => {
  const get = async (reference: unknown) => {
    if (typeof reference !== "string") throw new Error("no such secret");
    return reference;
  };
  const projectTokens = { acme: { api: { env: "ACME" } }, beta: { api: OTHER } };
  const found = await check({ apiToken: LONG, projectTokens, secrets: { get } });
  const why = "projects.acme.tokens.api cannot be read: no such secret";
  expect(found).toMatchObject([
    { verdict: "fail", token: "projects.acme.tokens.api", detail: why },
    { verdict: "ok" },
  ]);
  const [own] = await check({ apiToken: { env: "OURS" }, projectTokens, secrets: { get } });
  expect(own?.token).toBeUndefined();
});

it.each([
  [{ apiToken: LONG, turnToken: LONG }, /LULL_TURN_TOKEN is the same as LULL_API_TOKEN/],
  [
    { apiToken: LONG, projectTokens: { acme: { api: LONG } } },
    /acme.tokens.api is the same as LULL_API_TOKEN/,
  ],
  [
    { projectTokens: { acme: { api: LONG }, beta: { api: LONG } } },
    /beta.tokens.api is the same as projects.acme.tokens.api/,
  ],
])("a token that opens two doors is refused: %j", async (given, words) => {
  expect(await check(given)).toEqual([expect.objectContaining({ verdict: "fail" })]);
  expect((await check(given))[0]?.detail).toMatch(words);
});

it("tokens of projects open the API of a public service for their projects alone", async () => {
  const [found] = await check({ publicUrl: "https://x.example", projectTokens: { acme: { api: OTHER } } });
  expect(found).toMatchObject({
    verdict: "warn",
    detail: expect.stringMatching(/^off: .*; projects with their own/),
  });
});
