import { mkdtemp, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { ConfigError } from "../errors.ts";
import { environmentSecrets } from "./secrets.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "lull-secrets-"));
});
afterEach(() => rm(folder, { recursive: true }));

test("a plain string is the secret itself", async () => {
  expect(await environmentSecrets().get("sesame")).toBe("sesame");
});

test("a variable is looked up each time, so that a test or a reload may change it", async () => {
  const env: Record<string, string> = { KEY: "one" };
  const secrets = environmentSecrets({ env });
  expect(await secrets.get({ env: "KEY" })).toBe("one");
  env.KEY = "two";
  expect(await secrets.get({ env: "KEY" })).toBe("two");
});

test.each([[{}], [{ KEY: "" }]])("a missing or empty variable is named: %o", async (env) => {
  const get = environmentSecrets({ env }).get({ env: "KEY" });
  await expect(get).rejects.toThrow(ConfigError);
  await expect(get).rejects.toThrow("KEY is not set");
});

test("a secret that stands where its variable's name belongs is not repeated", async () => {
  const get = environmentSecrets({ env: {} }).get({ env: "sk-proj-planted" });
  await expect(get).rejects.toThrow(/^\{ "env": \.\.\. \} must name a variable, in capitals/);
});

test("a file is read without its last line break, and again when it has changed", async () => {
  const file = join(folder, "key");
  const secrets = environmentSecrets();
  await writeFile(file, "first\n");
  expect(await secrets.get({ file })).toBe("first");
  await writeFile(file, "other\n");
  await utimes(file, 1_900_000_000, 1_900_000_000);
  expect(await secrets.get({ file })).toBe("other");
});

test("an unchanged file is not read again", async () => {
  const file = join(folder, "key");
  const secrets = environmentSecrets();
  await writeFile(file, "first");
  await utimes(file, 1_900_000_000, 1_900_000_000);
  await secrets.get({ file });
  // Same size, same time, same inode: only a reader would notice.
  await writeFile(file, "other");
  await utimes(file, 1_900_000_000, 1_900_000_000);
  expect(await secrets.get({ file })).toBe("first");
});

test("a missing file, an empty one and a folder are named, and left to an operator", async () => {
  const secrets = environmentSecrets();
  await writeFile(join(folder, "empty"), " \n");
  await expect(secrets.get({ file: join(folder, "none") })).rejects.toThrow(/none cannot be read \(ENOENT\)/);
  await expect(secrets.get({ file: join(folder, "empty") })).rejects.toThrow(/empty is empty/);
  await expect(secrets.get({ file: folder })).rejects.toMatchObject({
    code: "INVALID_CONFIG",
    retry: "never",
  });
});

test("a named secret says what could resolve it", async () => {
  await expect(environmentSecrets().get({ name: "prod/openai" })).rejects.toThrow(
    /prod\/openai.*AWS Secrets Manager/,
  );
});
