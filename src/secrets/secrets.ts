import { readFile, stat } from "node:fs/promises";
import { ConfigError, LullError } from "../errors.ts";
import type { SecretReference, Secrets } from "../ports/secrets.ts";

export interface EnvironmentSecretsOptions {
  readonly env?: Readonly<Record<string, string | undefined>>;
}

interface RememberedFile {
  readonly version: string;
  readonly value: string;
}

/** Secrets of one machine: the environment, files (as Docker and systemd mount them), or the value itself. */
export function environmentSecrets(options: EnvironmentSecretsOptions = {}): Secrets {
  const env = options.env ?? process.env;
  const files = new Map<string, RememberedFile>();
  return {
    async get(reference: SecretReference): Promise<string> {
      if (typeof reference === "string") return reference;
      if ("env" in reference) return fromEnvironment(env, reference.env);
      if ("file" in reference) return fromFile(files, reference.file);
      throw new ConfigError(
        `the secret named ${reference.name} needs a store of named secrets: ` +
          "pass `secrets` of the AWS Secrets Manager, or use { env } or { file }",
      );
    },
  };
}

function fromEnvironment(env: Readonly<Record<string, string | undefined>>, name: string): string {
  const value = env[name];
  // Compose files and CI pass unset variables on as empty ones, and an empty secret is never meant.
  if (value === undefined || value === "") throw new ConfigError(notSet(name));
  return value;
}

/** Some put the secret itself where its name belongs. */
function notSet(name: string): string {
  if (VARIABLE.test(name)) return `the environment variable ${name} is not set`;
  return '{ "env": ... } must name a variable, in capitals, digits and _, and holds something else';
}

const VARIABLE = /^[A-Z_][A-Z0-9_]*$/;

async function fromFile(files: Map<string, RememberedFile>, path: string): Promise<string> {
  try {
    const { mtimeMs, size, ino } = await stat(path);
    // A rotated secret is a changed file. Asking the file system is cheap, and needs no clock.
    const version = `${mtimeMs}/${size}/${ino}`;
    const remembered = files.get(path);
    if (remembered?.version === version) return remembered.value;
    const value = (await readFile(path, "utf8")).trim();
    if (value === "") throw new ConfigError(`the secret file ${path} is empty`);
    files.set(path, { version, value });
    return value;
  } catch (error) {
    throw error instanceof LullError ? error : unreadable(path, error);
  }
}

/** Only an operator can correct a wrong path or a missing permission; too many open files is temporary. */
const FOR_A_PERSON = new Set(["ENOENT", "EACCES", "EPERM", "EISDIR", "ENOTDIR", "ELOOP", "ENAMETOOLONG"]);

function unreadable(path: string, cause: unknown): LullError {
  const code = (cause as NodeJS.ErrnoException).code ?? "unknown";
  const message = `the secret file ${path} cannot be read (${code})`;
  if (FOR_A_PERSON.has(code)) return new ConfigError(message, cause);
  return new LullError(message, { code: "SECRET_UNAVAILABLE", retry: "later", cause });
}
