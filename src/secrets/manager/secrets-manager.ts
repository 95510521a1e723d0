import { SecretsProvider } from "@aws-lambda-powertools/parameters/secrets";
import { SecretsManagerClient } from "@aws-sdk/client-secrets-manager";
import { ConfigError, LullError } from "../../errors.ts";
import type { SecretReference, Secrets } from "../../ports/secrets.ts";
import { systemClock } from "../../runtime/system-clock.ts";
import { sdkErrorFrom } from "../../wire/aws-errors.ts";
import { failure } from "../../wire/aws-failure.ts";
import { AWS_DEADLINES, DeadlineMissed, within } from "../../wire/deadline.ts";
import { environmentSecrets } from "../secrets.ts";

export interface SecretsManagerOptions {
  /** Default: what the SDK finds. The SDK always finds the credentials. */
  readonly region?: string;
  /** Only for test doubles. Default: `AWS_ENDPOINT_URL_SECRETS_MANAGER`, then the real one. */
  readonly endpoint?: string;
  /** How long a secret is used before it is read again: a rotated one is noticed after that time. */
  readonly maxAgeSeconds?: number;
  /** How long reading a secret may take; 5 by default. Then the previous value is used, if there is one. */
  readonly timeoutSeconds?: number;
  /** A client that the application made. */
  readonly client?: SecretsManagerClient;
  /** Resolves references that the Secrets Manager does not hold: by default the environment and files. */
  readonly others?: Secrets;
}

const MAX_AGE_SECONDS = 300;
const { connectMsMax, requestMsMax, secretMsMax } = AWS_DEADLINES;

/** Errors that only an operator can correct, beside those that every AWS service has. */
const FOR_A_PERSON = new Set([
  "InvalidRequestException",
  "InvalidParameterException",
  "DecryptionFailure",
  "ValidationException",
]);

/** `{ name: "prod/twilio#authToken" }` is key `authToken` of JSON `prod/twilio`; without `#`: all of it. */
export function secretsManager(options: SecretsManagerOptions = {}): Secrets {
  const others = options.others ?? environmentSecrets();
  const fetch = fetcher(options);
  return {
    async get(reference: SecretReference): Promise<string> {
      if (typeof reference === "string" || !("name" in reference)) return others.get(reference);
      const [secret = "", key] = reference.name.split("#", 2);
      return valueIn(await fetch(secret, reference.name), key, reference.name);
    },
  };
}

type Fetch = (secret: string, reference: string) => Promise<string>;

/** One request for a secret, however many turns want it at once. */
function fetcher(options: SecretsManagerOptions): Fetch {
  const maxAge = options.maxAgeSeconds ?? MAX_AGE_SECONDS;
  const underWay = new Map<string, Promise<string>>();
  const known = new Map<string, string>();
  const msMax = options.timeoutSeconds === undefined ? secretMsMax : options.timeoutSeconds * 1_000;
  let opened: Opened | undefined;
  const read = async (secret: string, reference: string): Promise<string> => {
    try {
      opened ??= open(options);
      const { provider } = opened;
      const value = textOf(await within(systemClock, msMax, () => get(provider, secret, maxAge)));
      known.set(secret, value);
      return value;
    } catch (error) {
      if (error instanceof DeadlineMissed) {
        // The provider passes no signal on: only closing its client ends the abandoned requests.
        opened?.close();
        opened = undefined;
      }
      const told = unavailable(error, reference);
      const before = known.get(secret);
      // The last value is most likely still right. Without it every message would be refused meanwhile.
      if (told.retry === "later" && before !== undefined) return before;
      throw told;
    }
  };
  return (secret, reference) => {
    const waiting = underWay.get(secret);
    if (waiting !== undefined) return waiting;
    const reading = read(secret, reference).finally(() => underWay.delete(secret));
    underWay.set(secret, reading);
    return reading;
  };
}

interface Opened {
  readonly provider: SecretsProvider;
  close(): void;
}

/** The application's own client is never closed here. */
function open(options: SecretsManagerOptions): Opened {
  const { client = newClient(options) } = options;
  const provider = new SecretsProvider({ awsSdkV3Client: client });
  return { provider, close: () => client !== options.client && client.destroy() };
}

function newClient({ region, endpoint }: SecretsManagerOptions): SecretsManagerClient {
  return new SecretsManagerClient({
    ...(region !== undefined && { region }),
    ...(endpoint !== undefined && { endpoint }),
    // Without `throwOnRequestTimeout` the SDK only warns and waits on.
    requestHandler: {
      connectionTimeout: connectMsMax,
      requestTimeout: requestMsMax,
      throwOnRequestTimeout: true,
    },
  });
}

async function get(provider: SecretsProvider, secret: string, maxAge: number): Promise<unknown> {
  return provider.get(secret, { maxAge });
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : Buffer.from((value ?? "") as Uint8Array).toString("utf8");
}

/** Errors name the reference, never the value. */
function valueIn(text: string, key: string | undefined, reference: string): string {
  const value = key === undefined ? text : keyIn(text, key, reference);
  if (value === "") throw new ConfigError(`the secret ${reference} is empty`);
  return value;
}

function keyIn(text: string, key: string, reference: string): string {
  const content = parsed(text);
  if (typeof content !== "object" || content === null)
    throw new ConfigError(`the secret ${reference} is not a JSON object, so it has no keys`);
  const value = Object.hasOwn(content, key) ? (content as Record<string, unknown>)[key] : undefined;
  if (typeof value === "string" || typeof value === "number") return String(value);
  throw new ConfigError(`the secret ${reference} has no text under that key`);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function unavailable(error: unknown, reference: string): LullError {
  const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
  const known = failure(cause, `the secret ${reference}`);
  if (known instanceof ConfigError) return known;
  const name = cause instanceof Error ? cause.name : "unknown";
  // What the network says is an `Error` with a code.
  const message = `the secret ${reference} cannot be read (${sdkErrorFrom(cause).code ?? name})`;
  if (FOR_A_PERSON.has(name)) return new ConfigError(message, cause);
  return new LullError(message, { code: "SECRET_UNAVAILABLE", retry: "later", cause });
}
