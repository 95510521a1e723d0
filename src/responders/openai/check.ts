import { ConfigError } from "../../errors.ts";
import type { Finding } from "../../ports/check-result.ts";
import type { SecretReference, Secrets } from "../../ports/secrets.ts";
import { found, sourceOf } from "../../wire/finding.ts";
import { callHttp } from "../../wire/http-call.ts";
import { unanswered } from "../../wire/unanswered.ts";
import type { OfferedKey } from "./by-record.ts";
import { authorization, besideResponses } from "./call.ts";
import { NO_KEY, type OpenAiSettings } from "./options.ts";

/** Keys that records may ask for, of which each costs a call. */
const KEYS_MAX = 20;
const NO_DEFAULT = "only conversations whose record names one of apiKeys are answered";

interface Key {
  readonly reference: SecretReference;
  readonly from: string;
  readonly called: string;
}

/** Tries every key on the list of models, which costs nothing. */
export async function check(
  settings: OpenAiSettings,
  apiKeys: readonly OfferedKey[],
  signal: AbortSignal,
): Promise<Finding[]> {
  const tried = apiKeys.slice(0, KEYS_MAX);
  const more = apiKeys.length - tried.length;
  const own = tryDefault(settings, apiKeys.length > 0, signal);
  const others = tried.map(({ id, reference }) =>
    tryKey(settings, { reference, from: id, called: `the key ${id}` }, signal),
  );
  return [
    ...(await Promise.all([own, ...others])),
    ...(more > 0 ? [found("skip", `openai; of apiKeys ${more} more were not tried`)] : []),
  ];
}

/** Conversations whose records name a key do without this one. */
async function tryDefault(
  settings: OpenAiSettings,
  hasOthers: boolean,
  signal: AbortSignal,
): Promise<Finding> {
  const { apiKey, secrets } = settings;
  if (hasOthers) {
    const why = apiKey === NO_KEY ? "no key is set beside apiKeys" : await missing(apiKey, secrets);
    if (why !== undefined) return found("warn", `openai; ${why}: ${NO_DEFAULT}`);
  }
  const called = apiKey === NO_KEY ? "no key" : "the key";
  return tryKey(settings, { reference: apiKey, from: sourceOf(apiKey, "apiKey"), called }, signal);
}

async function missing(key: SecretReference, secrets: Secrets): Promise<string | undefined> {
  try {
    await secrets.get(key);
    return undefined;
  } catch (error) {
    return error instanceof ConfigError ? error.message : undefined;
  }
}

async function tryKey(
  { endpoint, secrets }: OpenAiSettings,
  key: Key,
  signal: AbortSignal,
): Promise<Finding> {
  try {
    const headers = { authorization: await authorization({ secrets, apiKey: key.reference }) };
    const url = besideResponses(endpoint, "models");
    const { status } = await callHttp(url, { headers, signal, reads: () => false });
    return toldBy(status, key, endpoint.host);
  } catch (error) {
    return found("fail", unanswered(endpoint.host, error, signal));
  }
}

function toldBy(status: number, { reference, from, called }: Key, host: string): Finding {
  const isNone = reference === NO_KEY;
  if (status === 401)
    return found(
      "fail",
      isNone ? `${host} wants a key, and none is set` : `OpenAI does not accept the key from ${from}`,
    );
  // A key may be restricted to other calls, so this does not say that it is of no use.
  if (status === 403)
    return found(
      "warn",
      `openai; ${host} does not let the key from ${from} read its models (403): may it make responses?`,
    );
  if (status >= 200 && status < 300)
    return found("ok", isNone ? `openai; ${host} answers without a key` : `openai; ${called} works`);
  return found(
    "skip",
    `openai; ${host} answered ${status} when asked for its models, so that ${called} was not tried`,
  );
}
