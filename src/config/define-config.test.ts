import { join } from "node:path";
import { expect, test } from "vitest";
import { exportsOf, openSources } from "../../test/docs/compiler.ts";
import { defineConfig } from "./define-config.ts";
import { checkFile, FILE } from "./file-keys.ts";
import { PROJECT } from "./project-options.ts";

test("gives back what it was given", () => {
  const config = { window: { seconds: 1 } };
  expect(defineConfig(config)).toBe(config);
});

test("every key that a file may have is typed, of the service and of a project, and no other", () => {
  using sources = openSources();
  const { checker } = sources;
  const keysOf = (name: string) => {
    const symbol = exportsOf(sources, join("src", "config", "define-config.ts")).get(name)!;
    return checker.getPropertiesOfType(checker.getDeclaredTypeOfSymbol(symbol)).map(({ name: key }) => key);
  };
  expect(keysOf("LullFile").toSorted()).toEqual(Object.keys(FILE.properties ?? {}).toSorted());
  expect(keysOf("ProjectEntry").toSorted()).toEqual(Object.keys(PROJECT.properties ?? {}).toSorted());
});

test("what data may say, a file in TypeScript may say with the same words", () => {
  const config = defineConfig({
    port: 8_006,
    host: "0.0.0.0",
    engine: "aws",
    db: "data/shop.db",
    workers: 4,
    web: true,
    stopGraceSeconds: 30,
    hungSeconds: 0,
    logLevel: "debug",
    channels: {
      support: { twilio: "whatsapp", from: "+15550100", authToken: { env: "SUPPORT_TWILIO_TOKEN" } },
      wati: { wati: "whatsapp", numbers: "15550199" },
      shop: { web: true, secret: { env: "SHOP_VISITORS_SECRET" } },
    },
    responder: { openai: { model: "gpt-6-luna", instructions: "You take bookings. Be brief." } },
    responders: { shop: "echo" },
    handOffTo: { queue: { url: "https://sqs.eu-west-1.amazonaws.com/111122223333/people" } },
    projects: { acme: { responder: { http: { url: "https://acme.example.com/turns" } }, status: "active" } },
  });
  expect(() => checkFile(config as Readonly<Record<string, unknown>>, "lull.config.ts")).not.toThrow();
});
