import { apiKeyIdIn, assistantIdIn } from "../../core/record-config.ts";
import { LullError } from "../../errors.ts";
import type { Conversation } from "../../model/conversation.ts";
import type { SecretReference } from "../../ports/secrets.ts";
import { isTellableName, meantBy, storedName } from "../../wire/secret-name.ts";
import type { OpenAiOptions, OpenAiSettings } from "./options.ts";

/** The settings of each assistant, made at start: a mistake in one is not left to its first customer. */
export interface RecordSettings {
  readonly assistants: ReadonlyMap<string, OpenAiSettings>;
  readonly apiKeys: readonly OfferedKey[];
}

/** A key that a conversation's record may ask for. */
export interface OfferedKey {
  readonly id: string;
  readonly reference: SecretReference;
}

export function recordSettings(
  { assistants = {}, apiKeys = [], ...options }: OpenAiOptions,
  make: (options: OpenAiOptions) => OpenAiSettings,
): RecordSettings {
  const made = Object.entries(assistants).map(([id, own]): [string, OpenAiSettings] => [
    id,
    make({ ...options, ...own }),
  ]);
  return { assistants: new Map(made), apiKeys: offeredKeys(apiKeys) };
}

function offeredKeys(apiKeys: NonNullable<OpenAiOptions["apiKeys"]>): OfferedKey[] {
  return Array.isArray(apiKeys)
    ? apiKeys.map((name: string) => ({ id: name, reference: { name } }))
    : Object.entries(apiKeys as Record<string, SecretReference>).map(([id, reference]) => ({
        id,
        reference,
      }));
}

/** The settings that the conversation's record asks for, as far as they are offered. */
export function settingsBy(
  settings: OpenAiSettings,
  { assistants, apiKeys }: RecordSettings,
  conversation: Conversation,
): OpenAiSettings {
  const assistantId = assistantIdIn(conversation);
  const asked = assistants.size === 0 || assistantId === undefined ? settings : assistants.get(assistantId);
  if (asked === undefined) throw unknown("UNKNOWN_ASSISTANT", "assistant", assistantId);
  const keyId = apiKeyIdIn(conversation);
  if (apiKeys.length === 0 || keyId === undefined) return asked;
  const { reference } = keyNamed(keyId, apiKeys, settings);
  return { ...asked, apiKey: reference };
}

/** By its id in the configuration, before any other's secret has that name. */
function keyNamed(
  id: string,
  offered: readonly OfferedKey[],
  { secrets }: Pick<OpenAiSettings, "secrets">,
): OfferedKey {
  const own = offered.find((key) => key.id === id);
  const [key, another] = own
    ? [own]
    : meantBy(id, offered, ({ reference }) => storedName(reference, secrets));
  if (key === undefined) throw unknown("UNKNOWN_API_KEY", "API key", id);
  if (another !== undefined) throw unknown("UNKNOWN_API_KEY", "API key", id, SEVERAL);
  return key;
}

const SEVERAL = "by what several are called: it has to be named as in the configuration";
const ASSISTANT = /^asst_\w{1,60}$/;

/** No other try can succeed: an operator adds it to the configuration and retries the dead letter. */
function unknown(code: string, what: string, id = "", how = "that is not configured"): LullError {
  // An id, and nothing else that another system may have put there: a key itself, for one.
  const named = isTellableName(id) || ASSISTANT.test(id) ? `: ${id}` : "";
  const message = `the conversation's record names an ${what} ${how}${named}`;
  return new LullError(message, { code, retry: "never" });
}
