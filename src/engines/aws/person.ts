import type { Conversation, ConversationKey } from "../../ports/conversations.ts";
import type { Arrival } from "../../ports/message.ts";
import { LETTER_ROW } from "./bury.ts";
import { conversationFrom } from "./conversation-item.ts";
import { equal, type Item } from "./expression.ts";
import { keyOf, latest, namesBehind, nextId, rowsOf } from "./finding.ts";
import type { Site } from "./site.ts";
import { messagesOf, stagedFrom } from "./stage-item.ts";

/** Somebody, as far as our rows tell: under which keys, and in which conversations something of theirs may be kept. */
export interface Person {
  readonly keys: readonly ConversationKey[];
  readonly ids: readonly string[];
}

type Named = ConversationKey & Pick<Conversation, "senderAlias">;

/** Whose conversation this is; `row` is its record, where there is one. */
export async function personOf(site: Site, id: string, row: Item | undefined): Promise<Person> {
  const named = row ? [conversationFrom(row)] : await namedWithout(site, id);
  const people = await Promise.all(named.map((key) => everythingOf(site, key)));
  return { keys: people.flatMap(({ keys }) => keys), ids: [...new Set(people.flatMap(({ ids }) => ids))] };
}

/** Whoever wrote to a conversation that has no record: it was never made, or somebody removed it. */
async function namedWithout(site: Site, id: string): Promise<Named[]> {
  const key = equal("conversation_id", id);
  const [staged, kept] = await Promise.all([
    site.store.query("stage", { key }),
    site.store.query("messages", { key }),
  ]);
  const buried = kept.filter(({ item_id }) => String(item_id).startsWith(LETTER_ROW));
  const rows = [
    ...site.quarantine.sound("stage", staged, stagedFrom),
    ...site.quarantine.sound("messages", buried, (item) => stagedFrom(item.row as Item)),
  ];
  return messagesOf(rows).map(({ message }) => namedIn(site, message));
}

function namedIn(site: Site, arrival: Arrival): Named {
  const { senderAlias } = arrival;
  return { ...keyOf(site, arrival), ...(senderAlias !== undefined && { senderAlias }) };
}

/** One name leads to conversations, and each of them may know another name. */
async function everythingOf(site: Site, key: Named): Promise<Person> {
  const names = new Set(namesOf(key));
  for (;;) {
    const known = [...names];
    const [rows, behind] = await Promise.all([
      rowsOf(site, key, known, { active: false }),
      namesBehind(site, key, known),
    ]);
    const found = [...rows.map(conversationFrom).flatMap(namesOf), ...behind];
    const more = found.filter((name) => !names.has(name));
    for (const name of more) names.add(name);
    if (more.length > 0) continue;
    const keys = known.map((sender) => ({ ...key, sender }));
    // Where messages wait that are looked at on their turn.
    const places = keys.map((each) => {
      const last = latest(rows.filter((row) => row.primary_channel === each.sender));
      return nextId(site, each, last ? { latestId: String(last.conversation_id) } : {});
    });
    return { keys, ids: [...rows.map((row) => String(row.conversation_id)), ...places] };
  }
}

function namesOf({ sender, senderAlias }: Named): string[] {
  return [sender, ...(senderAlias === undefined ? [] : [senderAlias])];
}
