import { canonicalAddress, isSameAddress } from "../../../core/own-addresses.ts";
import type { Conversation } from "../../../model/conversation.ts";
import type { Engine } from "../../../ports/engine.ts";
import type { Command } from "../../command.ts";
import { withData } from "../../data.ts";
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
    const [id] = call.args as [string];
    if (call.options.yes !== true)
      throw new UsageError(`this cannot be undone. To go on: lull conversations erase ${id} --yes`);
    return withData(call, async ({ engine }) => {
      const person = await engine.conversations.get(id);
      const result = await engine.conversations.erase(id);
      if (result === "not-found") throw new CommandFailed(`there is no conversation ${id}`);
      const left =
        result === "erasing" ? (await engine.checks?.())?.find(({ check }) => check === "erased") : undefined;
      const others = person ? await sharing(engine, person) : [];
      printResult(
        call,
        { id, result, ...(left && { left: left.detail }), ...(others.length > 0 && { others }) },
        [`${id} is erased${left ? `, but ${left.detail}` : ""}`, ...also(others), OLDER_BACKUPS].join("\n"),
      );
      return 0;
    });
  },
};

const OLDER_BACKUPS =
  "Backups that were made before hold the person: delete them by your own rules, and write down the id, " +
  "to erase it again where one is restored.";
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
async function sharing(engine: Engine, { sender }: Conversation): Promise<Other[]> {
  const search = canonicalAddress(sender);
  const { items } = await engine.inspector.conversations({ search, limit: OTHERS_MAX });
  return items
    .filter((each) => isSameAddress(each.sender, sender))
    .map(({ id, channelType, address }) => ({ id, channelType, address }));
}

function also(others: readonly Other[]): string[] {
  if (others.length === 0) return [];
  const rows = others.map(({ id, channelType, address }) => `  ${id} (${channelType}, ${address})`);
  return [
    "The same name also wrote to other addresses of yours. These are left, and erased by their own ids:",
    ...rows,
  ];
}
