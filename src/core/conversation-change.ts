import type {
  AttributeChange,
  Conversation,
  ConversationChange,
  ConversationStatus,
} from "../model/conversation.ts";
import { isSameJson } from "./same-json.ts";

/** What callers may change in a conversation's record, and what turns do. */
export interface RecordChange extends ConversationChange {
  readonly status?: ConversationStatus;
}

/** The record with the change. `null` takes the conversation's own window away. */
export function changed(before: Conversation, change: RecordChange, nowMs: number): Conversation {
  const { window, ...rest } = change;
  const { window: standing, ...kept } = { ...before, ...rest, updatedAtMs: nowMs };
  const chosen = window === undefined ? standing : window;
  return { ...kept, ...(chosen && { window: chosen }) };
}

/**
 * Whether what waits may go on by this change, whatever was before: after a lost answer, the repeated change
 * would find it already made. One look too many does no harm.
 */
export function goesOn({ paused, handedOff }: ConversationChange): boolean {
  return paused === false || handedOff === false;
}

type Attributes = Conversation["attributes"];

/** What becomes of one attribute: those of others stay. */
export function decideAttribute(
  standing: Attributes,
  { name, was, to }: AttributeChange,
): "changed" | "stale" | { readonly kind: "set"; readonly onto: (attributes: Attributes) => Attributes } {
  if (isSameJson(standing[name], to)) return "changed";
  if (!isSameJson(standing[name], was)) return "stale";
  const onto = ({ [name]: _, ...others }: Attributes) =>
    to === undefined ? others : { ...others, [name]: to };
  return { kind: "set", onto };
}
