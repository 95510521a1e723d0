import type { Conversation } from "../../model/conversation.ts";
import type { HistoryMessage } from "../../model/history.ts";
import type { Turn } from "../../ports/responder.ts";
import { isObject } from "../../schema/is-object.ts";
import type { InputItem } from "./body.ts";
import { readFromOpenAi } from "./call.ts";
import { isRefusal } from "./failure.ts";
import type { OpenAiSettings } from "./options.ts";

/** What a conversation left at OpenAI before it moved in here. */
export interface PastAtOpenAi {
  readonly kind: "response" | "conversation" | "thread";
  readonly id: string;
}

/** The part of a request that makes the model see it. */
export interface Continued {
  readonly responseId?: string;
  readonly items: readonly InputItem[];
}

const NOTHING: Continued = { items: [] };

/**
 * Where systems keep such an id. Its own first letters say what it is: a column that is named after threads
 * may hold what replaced them.
 */
const ATTRIBUTES = ["openai_response_id", "openai_conversation_id", "openai_thread_id"];
const KINDS = { resp: "response", conv: "conversation", thread: "thread" } as const;
const ID = /^(resp|conv|thread)_[\w-]{1,200}$/;

/** The id that says the most: of a response, else of a conversation, else of a thread. */
export function pastOf({ attributes }: Pick<Conversation, "attributes">): PastAtOpenAi | undefined {
  const found = ATTRIBUTES.flatMap((name): PastAtOpenAi[] => {
    const id = attributes[name];
    const prefix = typeof id === "string" ? ID.exec(id)?.[1] : undefined;
    return prefix === undefined ? [] : [{ kind: KINDS[prefix as keyof typeof KINDS], id: id as string }];
  });
  return Object.values(KINDS).flatMap((kind) => found.find((each) => each.kind === kind) ?? [])[0];
}

/** Ids that OpenAI does not go on from: told once, and not asked for again by this process. */
export class EndedPasts {
  readonly #ids = new Set<string>();

  has(id: string): boolean {
    return this.#ids.has(id);
  }

  tell(turn: Turn, id: string, code: "OPENAI_PAST_GONE" | "OPENAI_THREAD_ENDED"): void {
    if (this.#ids.has(id)) return;
    const [oldest] = this.#ids;
    if (oldest !== undefined && this.#ids.size >= ENDED_MAX) this.#ids.delete(oldest);
    this.#ids.add(id);
    turn.note(code);
  }
}

/** A forgotten one costs a request, and a second line in the log. */
export const ENDED_MAX = 10_000;

/**
 * What the model is shown of it, if that is wanted in this turn. Nothing is changed at OpenAI: a turn that is
 * asked again finds the same.
 */
export async function continued(
  settings: OpenAiSettings,
  ended: EndedPasts,
  turn: Turn,
  history: readonly HistoryMessage[],
): Promise<Continued> {
  const { pastAtOpenAi: when } = settings;
  const past = when === undefined ? undefined : pastOf(turn.conversation);
  if (past === undefined || ended.has(past.id)) return NOTHING;
  if (past.kind === "thread") {
    ended.tell(turn, past.id, "OPENAI_THREAD_ENDED");
    return NOTHING;
  }
  // What our own record holds was said after it, and is shown to the model anyway.
  if (when === "first-turn" && history.length > 0) return NOTHING;
  if (past.kind === "response") return { responseId: past.id, items: [] };
  return { items: await itemsOf(settings, ended, turn, past.id) };
}

/**
 * A conversation at OpenAI is read, not continued: OpenAI would add this turn to it, and once more with every
 * try whose answer was lost.
 */
async function itemsOf(
  settings: OpenAiSettings,
  ended: EndedPasts,
  turn: Turn,
  id: string,
): Promise<InputItem[]> {
  const limit = Math.min(settings.historyMessagesMax ?? ITEMS_MAX, ITEMS_MAX);
  try {
    const { json } = await readFromOpenAi(
      settings,
      `conversations/${id}/items`,
      { order: "desc", limit: String(limit) },
      turn.signal,
    );
    return (Array.isArray(json.data) ? json.data : []).flatMap(messageIn).reverse();
  } catch (error) {
    if (!isRefusal(error)) throw error;
    ended.tell(turn, id, "OPENAI_PAST_GONE");
    return [];
  }
}

/** The most that OpenAI lists at once. */
const ITEMS_MAX = 100;

/** What was said. Calls of tools and thoughts belong to a request that is over. */
function messageIn(item: unknown): InputItem[] {
  if (!isObject(item) || item.type !== "message") return [];
  const { role, content } = item;
  if ((role !== "user" && role !== "assistant") || !Array.isArray(content)) return [];
  const text = content.map(textIn).filter((each) => each !== "");
  return text.length === 0 ? [] : [{ role, content: text.join("\n") }];
}

function textIn(part: unknown): string {
  if (!isObject(part)) return "";
  if (part.type === "input_image") return "[image attached]";
  const text = part.type === "refusal" ? part.refusal : part.text;
  return typeof text === "string" ? text : "";
}
