import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { SecretReference, Secrets } from "../../ports/secrets.ts";
import { type FakeOpenai, fakeOpenai } from "../../testing/fake-openai.ts";
import { fakeConversation, fakeTurn } from "../../testing/fake-turn.ts";
import { openai } from "./openai.ts";
import type { OpenAiOptions } from "./options.ts";

let fake: FakeOpenai;
beforeEach(async () => {
  fake = fakeOpenai();
  await fake.start();
});
afterEach(() => fake.stop());

const nameIn = (reference: SecretReference) => (reference as { readonly name: string }).name;
const secrets: Secrets = { get: async (reference) => `key-of-${nameIn(reference)}` };

/** Whose key is used where a record asks for one. */
async function used(asked: string, apiKeys: OpenAiOptions["apiKeys"], more: OpenAiOptions = {}) {
  const respond = openai({
    apiKey: "mine",
    baseUrl: fake.url,
    secrets,
    ...(apiKeys && { apiKeys }),
    ...more,
  });
  const attributes = { ai_config: { ai_api_key_reference: asked } };
  await respond(fakeTurn("hi", { conversation: fakeConversation({ attributes }) }));
  return fake.asked.at(-1)?.headers.authorization?.replace("Bearer key-of-", "");
}

test("each key is used that a record names as it is configured, in whichever order they stand", async () => {
  const keys = ["prod/openai#acme", "prod/openai#beta", "prod/openai"];
  for (const offered of [keys, keys.toReversed()])
    for (const key of keys) expect(await used(key, offered)).toBe(key);
});

test("an id of a key counts before another's secret of that name", async () => {
  const offered = { gold: { name: "prod/beta" }, "prod/beta": { name: "prod/beta-own" } };
  expect(await used("prod/beta", offered)).toBe("prod/beta-own");
});

test("a key that is configured by its variable is found by the name of its secret", async () => {
  const nameOf = (reference: SecretReference) => ("env" in (reference as object) ? "prod/acme" : undefined);
  const get = async (reference: SecretReference) => `key-of-${nameOf(reference)}`;
  const acme = { acme: { env: "ACME_KEY" } };
  expect(await used("prod/acme", acme, { secrets: { get, nameOf } })).toBe("prod/acme");
});

test("a name that several keys have ends the turn, and the reason says so", async () => {
  const offered = ["prod/openai#acme", "prod/openai#beta"];
  await expect(used("prod/openai", offered)).rejects.toMatchObject({
    code: "UNKNOWN_API_KEY",
    retry: "never",
    message: expect.stringMatching(/several.*: prod\/openai$/),
  });
  expect(fake.asked).toEqual([]);
});

describe("what is not offered is named in the reason", () => {
  test("where it is a name", async () => {
    await expect(used("prod/gamma", ["prod/acme"])).rejects.toThrow("is not configured: prod/gamma");
  });

  test.each(["sk-live0abcdefghijklmnopqrstuvwxyz0123456789ABCDEF", "0123456789abcdef0123456789abcdef"])(
    "but never where it may be the key itself: %s",
    async (key) => {
      const error = await used(key, ["prod/acme"]).catch((thrown: Error) => thrown);
      expect(error).toMatchObject({ code: "UNKNOWN_API_KEY" });
      expect(JSON.stringify([error, String(error)])).not.toContain(key);
    },
  );
});
