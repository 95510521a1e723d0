import { apiKeyIdIn, assistantIdIn } from "../../core/record-config.ts";
import { LullError } from "../../errors.ts";
import type { Conversation } from "../../model/conversation.ts";
import type { SecretReference } from "../../ports/secrets.ts";
import { isSecretOf } from "../../wire/secret-name.ts";
import type { OpenAiOptions, OpenAiSettings } from "./options.ts";

/** The settings of each assistant, made at start: a mistake in one is not left to its first customer. */
export interface RecordSettings {
  readonly assistants: ReadonlyMap<string, OpenAiSettings>;
  readonly apiKeys: readonly { readonly id: string; readonly reference: SecretReference }[];
}

export function recordSettings(
  { assistants = {}, apiKeys = [], ...options }: OpenAiOptions,
  make: (options: OpenAiOptions) => OpenAiSettings,
): RecordSettings {
  const made = Object.entries(assistants).map(([id, own]): [string, OpenAiSettings] => [
    id,
    make({ ...options, ...own }),
  ]);
  const keys = Array.isArray(apiKeys)
    ? apiKeys.map((name: string) => ({ id: name, reference: { name } }))
    : Object.entries(apiKeys as Record<string, SecretReference>).map(([id, reference]) => ({
        id,
        reference,
      }));
  return { assistants: new Map(made), apiKeys: keys };
}

/** The settings that the conversation's record asks for, as far as they are offered. */
export function settingsBy(
  settings: OpenAiSettings,
  { assistants, apiKeys }: RecordSettings,
  conversation: Conversation,
): OpenAiSettings {
  const assistantId = assistantIdIn(conversation);
  const asked = assistants.size === 0 || assistantId === undefined ? settings : assistants.get(assistantId);
  if (asked === undefined)
    throw unknown("UNKNOWN_ASSISTANT", "the conversation's record names an assistant that is not configured");
  const keyId = apiKeyIdIn(conversation);
  if (apiKeys.length === 0 || keyId === undefined) return asked;
  const key = apiKeys.find(({ id, reference }) => id === keyId || isSecretOf(reference, keyId));
  if (key === undefined)
    throw unknown("UNKNOWN_API_KEY", "the conversation's record names an API key that is not configured");
  return { ...asked, apiKey: key.reference };
}

/** No other try can succeed: an operator adds it to the configuration and retries the dead letter. */
function unknown(code: string, message: string): LullError {
  return new LullError(message, { code, retry: "never" });
}
