import type { Conversation } from "../model/conversation.ts";
import { isObject } from "../schema/is-object.ts";
import {
  fields,
  flag,
  listOf,
  number,
  optional,
  type Shape,
  type Sound,
  soundAs,
  text,
  time,
} from "./shape.ts";
import { WINDOW_POLICY } from "./sound-window.ts";

const SHAPES: Readonly<Record<keyof Conversation, Shape>> = {
  id: text,
  channelType: text,
  address: text,
  sender: text,
  senderAlias: optional(text),
  status: text,
  projectStatus: text,
  allowedChannels: optional(listOf(text)),
  taskComplete: flag,
  handedOff: flag,
  handOffReason: optional(text),
  paused: flag,
  window: optional(WINDOW_POLICY),
  attributes: (value) => (isObject(value) ? undefined : " is no object"),
  promptTokens: number,
  completionTokens: number,
  totalTokens: number,
  createdAtMs: time,
  updatedAtMs: time,
};

const CONVERSATION = fields<Conversation>(SHAPES);

/** A conversation's record as it was read, if it is a valid one. */
export function soundConversation(value: unknown): Sound<Conversation> {
  return soundAs(CONVERSATION, value);
}

/**
 * Repairs a record that Lull did not write: valid fields stay, the others are as in a new one. Above all, a
 * conversation that was handed off or paused stays so while that can be read.
 */
export function mendedConversation(value: unknown, fresh: Conversation): Conversation {
  if (!isObject(value)) return fresh;
  const kept = Object.entries(SHAPES).flatMap(([name, shape]) => {
    const given = value[name];
    return given !== undefined && shape(given) === undefined ? [[name, given] as const] : [];
  });
  const { id, channelType, address, sender } = fresh;
  return { ...fresh, ...Object.fromEntries(kept), id, channelType, address, sender };
}
