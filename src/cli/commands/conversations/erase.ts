import { ownNames } from "../../../core/addressee.ts";
import { canonicalAddress, isSameAddress } from "../../../core/own-addresses.ts";
import type { Conversation, ConversationKey } from "../../../model/conversation.ts";
import type { Engine } from "../../../ports/engine.ts";
import { searched } from "../../../runtime/their-pages.ts";
import { conversationLike } from "../../by-prefix.ts";
import type { Command } from "../../command.ts";
import { withData } from "../../data.ts";
import { customerOf, ownNamesOf } from "../../output/customer.ts";
import { printResult } from "../../output/print.ts";
import { CommandFailed, UsageError } from "../../usage-error.ts";

export const erase: Command = {
  usage: "<id> --yes",
  about:
    "Erases the person: this conversation and every other at the same address of yours, under every name; " +
    "messages, turns, what is staged, drafts, dead letters, unknown sends, refusals. " +
    "Only salted hashes of message ids stay for the dedupe time. " +
    "It cannot be undone, except from a backup.",
  options: { yes: { type: "boolean", help: "yes, erase it" } },
  args: { required: ["<id>"] },
  run: async (call) => {
    return withData(call, async ({ engine, lull }) => {
      const id = await conversationLike(engine, call.args[0]!);
      const person = await engine.conversations.get(id);
      const whom = person && (await customerOf(engine, person));
      if (call.options.yes !== true) throw unsure(id, person && `${whom}, ${writesTo(person)}`);
      // What tells them is erased with the person.
      const names = person ? await ownNamesOf(engine, person) : [];
      const result = await lull.erase(id);
      if (result === "not-found") throw new CommandFailed(`there is no conversation ${id}`);
      const left =
        result === "erasing" ? (await engine.checks?.())?.find(({ check }) => check === "erased") : undefined;
      const others = person ? await sharing(engine, person, names) : [];
      printResult(
        call,
        { id, result, ...(left && { left: left.detail }), ...(others.length > 0 && { others }) },
        [
          `${[`${id} is erased`, whom].filter(Boolean).join(": ")}${left ? `, but ${left.detail}` : ""}`,
          ...also(others),
          OLDER_BACKUPS,
          SYSTEM_BEFORE,
        ].join("\n"),
      );
      return 0;
    });
  },
};

/** The question names the person: an id says nothing to who reads it. */
function unsure(id: string, whom: string | undefined): UsageError {
  const what = ["this cannot be undone", ...(whom === undefined ? [] : [whom])].join(": ");
  return new UsageError(`${what}. To go on: lull conversations erase ${id} --yes`);
}

function writesTo({ address, channelType }: Conversation): string {
  return `who writes to ${address} (${channelType})`;
}

const OLDER_BACKUPS =
  "Backups that were made before hold the person: delete them by your own rules, and write down the id, " +
  "to erase it again where one is restored.";
const SYSTEM_BEFORE =
  "What the system before Lull holds of the person is not reached, and a move from there may bring it " +
  "back: docs/moving-in.md#who-was-erased-meanwhile";
/** More are found with `lull conversations --search`. */
const OTHERS_MAX = 20;

interface Other {
  readonly id: string;
  readonly channelType: string;
  readonly address: string;
}

/**
 * The same name at another address of ours, or over another type of channel, is another person to Lull,
 * though mostly the same one in fact.
 */
async function sharing(
  { inspector }: Engine,
  person: Conversation,
  names: readonly string[],
): Promise<Other[]> {
  const found = new Map<string, Other>();
  for (const name of names) {
    const search = canonicalAddress(name);
    const { items } = await searched(inspector, { search, limit: OTHERS_MAX });
    for (const each of items.filter((item) => !isSamePlace(item, person))) {
      const theirs = ownNames(each, await inspector.names(each));
      const { id, channelType, address } = each;
      if (theirs.some((other) => isSameAddress(other, name))) found.set(id, { id, channelType, address });
    }
  }
  return [...found.values()];
}

/** There, who else has the name is another person: this one's conversations are all erased. */
function isSamePlace(one: ConversationKey, other: ConversationKey): boolean {
  return one.channelType === other.channelType && one.address === other.address;
}

function also(others: readonly Other[]): string[] {
  if (others.length === 0) return [];
  const rows = others.map(({ id, channelType, address }) => `  ${id} (${channelType}, ${address})`);
  return [
    "The same name also wrote to other addresses of yours. These are left, and erased by their own ids:",
    ...rows,
  ];
}
