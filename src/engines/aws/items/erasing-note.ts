import type { PersonAt } from "../../../model/kept.ts";
import type { AwsContext } from "../context.ts";
import type { Item } from "../dynamo/expression.ts";
import { conversationKeyOf, erasingKey, transactionToken } from "./keys.ts";

/** More names than a person has, and as many as one transaction takes. */
const NAMES_MAX = 100;

/**
 * That a person is being erased, and where. Names lead to conversations, and those to names: once half of
 * them is gone, nothing may lead to the rest. It is written first and removed last.
 */
export async function noteErasing(context: AwsContext, at: PersonAt): Promise<void> {
  const { channelType, address, names, conversationIds } = at;
  const note = {
    channel_type: channelType,
    address,
    names: names.slice(0, NAMES_MAX),
    conversations: conversationIds.slice(0, NAMES_MAX),
  };
  for (const key of keysOf(context, names)) await context.store.put("state", { ...key, ...note });
}

/** All at once: a note that is left would name them. */
export async function forgetErasing(context: AwsContext, { names }: PersonAt): Promise<void> {
  const actions = keysOf(context, names).map((key) => ({ kind: "delete", table: "state", key }) as const);
  if (actions.length > 0) await context.store.transact(actions, transactionToken(context.newId()));
}

/** Whose erasure was cut short. */
export async function erasingAmong(context: AwsContext, names: readonly string[]): Promise<PersonAt[]> {
  return (await context.store.getMany("state", keysOf(context, names))).flatMap(placeIn);
}

function keysOf({ installation }: AwsContext, names: readonly string[]): Item[] {
  const hashed = names
    .slice(0, NAMES_MAX)
    .map((name) => erasingKey(installation.secretFor(`erasing ${name}`)));
  return [...new Set(hashed)].map(conversationKeyOf);
}

function placeIn({ channel_type: channelType, address, names, conversations }: Item): PersonAt[] {
  if (typeof channelType !== "string" || typeof address !== "string") return [];
  return [
    { channelType, address, names: textsIn(names), conversationIds: textsIn(conversations), others: [] },
  ];
}

function textsIn(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((each) => typeof each === "string") : [];
}
