import { expect, test } from "vitest";
import { consoleLines } from "../../test/aws/console-lines.ts";
import { ConfigError } from "../errors.ts";
import { FunctionRuntime } from "./function-runtime.ts";
import { webhookHandler } from "./webhook.ts";

const { parsed } = consoleLines();

test("a function that cannot be set up logs its failed calls once, and counts each", async () => {
  const runtime = new FunctionRuntime(() => Promise.reject(new ConfigError("there is no table")), {});
  const handle = webhookHandler(runtime);
  for (let n = 0; n < 20; n += 1)
    expect((await handle({}, { getRemainingTimeInMillis: () => 1_000 })).statusCode).toBe(503);
  expect(parsed().filter(({ message }) => message === "webhook.failed")).toHaveLength(1);
  const counted = parsed().map(({ WebhooksFailed: failed }) => Number(failed ?? 0));
  expect(counted.reduce((sum, each) => sum + each)).toBe(20);
});
