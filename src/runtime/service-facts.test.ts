import { hostname } from "node:os";
import { expect, it } from "vitest";
import { memory } from "../engines/memory/index.ts";
import { testChannel } from "../testing/test-channel.ts";
import { testWebhook } from "../testing/test-webhook.ts";
import { arranged } from "./arranged.ts";
import type { LullConfig } from "./config.ts";
import { createService } from "./create-service.ts";
import { factsFrom } from "./service-facts.ts";
import { systemClock } from "./system-clock.ts";

const factsOf = (given: Partial<LullConfig> = {}) => {
  const config = { engine: memory(), channels: { test: testChannel() }, ...given };
  return factsFrom(config, arranged(config));
};

it("a program that says nothing gets the machine's clock and chance, and no token or URL", () => {
  expect(factsOf()).toMatchObject({ clock: systemClock, random: Math.random });
  expect(factsOf()).toMatchObject({ publicUrl: undefined, apiToken: undefined, turnToken: undefined });
});

it("its secrets are those of the environment", async () => {
  process.env.LULL_TEST_FACT = "from the environment";
  try {
    expect(await factsOf().secrets.get({ env: "LULL_TEST_FACT" })).toBe("from the environment");
  } finally {
    delete process.env.LULL_TEST_FACT;
  }
});

it("two services of one process are two workers to the store, unless they are given a name", () => {
  const [one, other] = [factsOf().workerId, factsOf().workerId];
  expect(one).not.toBe(other);
  for (const each of [one, other]) expect(each).toMatch(`${hostname()}/${process.pid}/`);
  expect(factsOf({ workerId: "by name" }).workerId).toBe("by name");
});

it("what is given is taken: clock, chance, secrets, tokens", () => {
  const given = {
    clock: { ...systemClock },
    random: () => 0.5,
    secrets: { get: async () => "known" },
    apiToken: "a token of this test",
    turnToken: "another token of this test",
  };
  const facts = factsOf({ ...given, publicUrl: "https://example.test/" });
  for (const [name, value] of Object.entries(given)) expect(facts).toHaveProperty(name, value);
  expect(facts.publicUrl).toBe("https://example.test");
});

it.each(["a log of its own", "none"])("a program that embeds Lull with %s sees no numbers", async (kind) => {
  const lines: string[] = [];
  const { error } = console;
  console.error = (line: string) => void lines.push(line);
  try {
    const verify = () => ({ kind: "refused", why: "no writing to +15550100" }) as const;
    const own = { log: (...line: unknown[]) => void lines.push(JSON.stringify(line)) };
    const channels = { sms: { ...testChannel(), verify } };
    const given = { engine: memory(), channels, respond: () => "ok", ...(kind !== "none" && own) };
    const service = createService(given);
    await service.receive("sms", testWebhook());
    service.log("warn", "of.a-channel", { sender: "+15550100", text: "a secret" });
    await service.stop(0);
  } finally {
    console.error = error;
  }
  expect(lines.filter((line) => line.includes("****00"))).toHaveLength(2);
  expect(lines.join()).not.toMatch(/15550100|secret/);
});
