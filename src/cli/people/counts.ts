import { KEPT_KINDS, type KeptKind } from "../../model/kept.ts";
import type { KeptCounts, PersonFound } from "../../runtime/people.ts";
import { counted } from "../output/counted.ts";
import { nameShown } from "../output/customer.ts";

/** What each kind is called, one and many. */
const WORDS: Readonly<Record<KeptKind, readonly [one: string, many: string]>> = {
  conversation: ["conversation", "conversations"],
  name: ["record of names", "records of names"],
  state: ["window, lease or draft", "windows, leases or drafts"],
  staged: ["message that waits", "messages that wait"],
  message: ["message", "messages"],
  turn: ["turn", "turns"],
  deadLetter: ["dead letter", "dead letters"],
  unknownSend: ["unknown send", "unknown sends"],
  refusal: ["refusal", "refusals"],
  sent: ["note of what was sent", "notes of what was sent"],
  quarantined: ["row that was set aside", "rows that were set aside"],
};

/** One kind a line, in columns. */
export function countLines(kept: KeptCounts): string[] {
  const found = KEPT_KINDS.flatMap((kind) => (kept[kind] ? [[kind, kept[kind]] as const] : []));
  const width = Math.max(...found.map(([, count]) => String(count).length));
  return found.map(
    ([kind, count]) => `  ${String(count).padStart(width)} ${WORDS[kind][count === 1 ? 0 : 1]}`,
  );
}

/** At which addresses of ours, and under which names. */
export function placeLines({ places }: Pick<PersonFound, "places">): string[] {
  return places.map(({ channelType, address, names, conversationIds }) => {
    const known = names.map(nameShown).join(", ");
    const many = counted(conversationIds.length, "conversation");
    return `  at ${nameShown(address)} (${channelType}) as ${known}: ${many}`;
  });
}

/** Other people who had the number: theirs stays. */
export function otherLines(others: readonly string[]): string[] {
  if (others.length === 0) return [];
  const names = others.map((name) => `  ${nameShown(name)}`);
  return ["The number was also another person's, whose rows stay. Ask for them by:", ...names];
}

export function nothingOf(customer: string): string {
  return `Nothing is kept of ${nameShown(customer)}.`;
}
