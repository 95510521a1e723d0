import { ownNames } from "../../core/addressee.ts";
import { aliasOf } from "../../core/names.ts";
import type { Conversation } from "../../model/conversation.ts";
import type { Engine } from "../../ports/engine.ts";

const NAME_MAX = 64;
/** What numbers, mail addresses and ids are made of: nothing in it can be taken for words of ours. */
const PLAIN = /^[\w+.@:/=-]+$/;

/**
 * A name that its bearer may have chosen: short, and in quotes if it could be read as ours, with what would
 * break the line, or do worse, written out.
 */
export function nameShown(name: string): string {
  const characters = [...name];
  const short = characters.length <= NAME_MAX ? name : `${characters.slice(0, NAME_MAX - 1).join("")}…`;
  return PLAIN.test(short) ? short : JSON.stringify(short).replace(UNQUOTED_BREAK, writtenOut);
}

/** Breaks a line, and JSON has it as it is. */
const UNQUOTED_BREAK = /[\u0085\u2028\u2029]/g;

function writtenOut(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
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
