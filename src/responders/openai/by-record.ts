import { apiKeyIdIn, assistantIdIn } from "../../core/record-config.ts";
import { LullError } from "../../errors.ts";
import type { Conversation } from "../../model/conversation.ts";
import type { SecretReference } from "../../ports/secrets.ts";
import { isSecretOf } from "../../wire/secret-name.ts";
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

export function offeredKeys(apiKeys: NonNullable<OpenAiOptions["apiKeys"]>): OfferedKey[] {
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
  const key = apiKeys.find(({ id, reference }) => id === keyId || isSecretOf(reference, keyId));
  if (key === undefined) throw unknown("UNKNOWN_API_KEY", "API key", keyId);
  return { ...asked, apiKey: key.reference };
}

/** No other try can succeed: an operator adds it to the configuration and retries the dead letter. */
function unknown(code: string, what: string, id = ""): LullError {
  // An id, and nothing else that another system may have put there.
  const named = /^[\w./:-]{1,100}$/.test(id) ? `: ${id}` : "";
  const message = `the conversation's record names an ${what} that is not configured${named}`;
  return new LullError(message, { code, retry: "never" });
}
