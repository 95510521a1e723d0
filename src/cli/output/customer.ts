import { aliasOf } from "../../core/names.ts";
import { ownNames } from "../../core/person.ts";
import type { Conversation } from "../../model/conversation.ts";
import type { Engine } from "../../ports/engine.ts";
import { oneLine } from "./table.ts";

const NAME_MAX = 64;
/** What numbers, mail addresses and ids are made of: nothing in it can be taken for words of ours. */
const PLAIN = /^[\w+.@:/=-]+$/;

/** A name that a stranger may have chosen: one line, short, and in quotes if it could be read as ours. */
export function nameShown(name: string): string {
  const flat = oneLine(name, NAME_MAX);
  return PLAIN.test(flat) ? flat : JSON.stringify(flat);
}

/** The names that are the person's own, as far as is known now: only numbers pass on. */
export async function ownNamesOf({ inspector }: Engine, conversation: Conversation): Promise<string[]> {
  return ownNames(conversation, await inspector.names(conversation));
}

/** A person by every name that their conversation has: an operator often knows only the number. */
export async function customerOf(engine: Engine, conversation: Conversation): Promise<string> {
  // One name is all that there is to call them by.
  const names = aliasOf(conversation) === undefined ? [] : await ownNamesOf(engine, conversation);
  const [name = conversation.sender, alias] = names;
  return alias === undefined ? nameShown(name) : `${nameShown(name)} (also ${nameShown(alias)})`;
}
