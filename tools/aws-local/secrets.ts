import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { ConfigError } from "../../src/errors.ts";
import { type FakeSecretsManager, fakeSecretsManager } from "../../src/testing/fake-secrets-manager.ts";

/**
 * A Secrets Manager with what the file says:
 * `{ "prod/twilio": { "authToken": "..." }, "prod/openai": "..." }`. Without a file it has nothing, and the
 * real one is never asked.
 */
export async function startSecrets(file: string | undefined, cwd: string): Promise<FakeSecretsManager> {
  const content = file === undefined ? {} : await contentOf(resolve(cwd, file), file);
  const secrets = Object.entries(content).map(([name, value]) => [
    name,
    typeof value === "string" ? value : JSON.stringify(value),
  ]);
  const server = fakeSecretsManager(Object.fromEntries(secrets));
  await server.start();
  return server;
}

async function contentOf(path: string, file: string): Promise<Record<string, unknown>> {
  try {
    return JSON.parse(await readFile(path, "utf8"));
  } catch (error) {
    // The parser's own message would quote the file.
    const why = error instanceof SyntaxError ? "is not valid JSON" : "cannot be read";
    throw new ConfigError(`LULL_LOCAL_SECRETS: ${file} ${why}`);
  }
}
