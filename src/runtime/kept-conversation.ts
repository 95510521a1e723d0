import { isPassing, knownOwnerOf } from "../core/names.ts";
import type { Conversation } from "../model/conversation.ts";
import type { NameRecords } from "../model/names.ts";
import type { Engine, KeptConversation } from "../ports/engine.ts";

/** Per conversation. What is beyond stays where it is. */
const MESSAGES_MAX = 10_000;
/** For turns as well: an import may take its time, and nothing is asked twice. */
const KEPT_LIMITS = { rowsMax: 500, bytesMax: 64_000_000 };

/** A conversation with all that another store has to know of it. */
export async function keptOf(source: Engine, conversation: Conversation): Promise<KeptConversation> {
  const { id } = conversation;
  const [messages, detail, names] = await Promise.all([
    source.conversations.history(id, MESSAGES_MAX),
    source.inspector.conversation(id, KEPT_LIMITS),
    namesOfPerson(source, conversation),
  ]);
  // A dead letter is not moved: in the other store it would be a turn that was answered.
  const said = messages.filter(({ unanswered }) => !unanswered);
  return { conversation, messages: said, turns: detail?.turns ?? [], names };
}

/**
 * Also the records of numbers that the person has left, and of those who had them last: without them, the
 * next owner of such a number would be taken for this person, or for one who has left it as well.
 */
async function namesOfPerson({ inspector }: Engine, conversation: Conversation): Promise<NameRecords> {
  const own = await inspector.names(conversation);
  const person = knownOwnerOf(conversation, own);
  const met = person === undefined ? [] : (own.get(person)?.cameWith ?? []);
  const numbers = met.filter((name) => isPassing(name));
  const { senderAlias: _, ...rest } = conversation;
  // As if each of them had a conversation.
  const others = await Promise.all(numbers.map((sender) => inspector.names({ ...rest, sender })));
  return new Map([...others, own].flatMap((records) => [...records]));
}
