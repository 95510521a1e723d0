import type { Conversation } from "../../../model/conversation.ts";
import type { Engine } from "../../../ports/engine.ts";
import type { Listing } from "../../../ports/inspector.ts";
import { searched } from "../../../runtime/their-pages.ts";
import { type Call, type Command, PAGE_OPTIONS, pageOf, textOption } from "../../command.ts";
import { withData } from "../../data.ts";
import { statusShown, unsettledIn } from "../../output/conversation-status.ts";
import { counted } from "../../output/counted.ts";
import { customerOf } from "../../output/customer.ts";
import { printListing } from "../../output/print.ts";
import { relativeTime } from "../../output/times.ts";
import { UsageError } from "../../usage-error.ts";

export const list: Command = {
  about: "Conversations, latest first.",
  options: {
    search: {
      type: "string",
      value: "TEXT",
      help: "part of a customer's address or user id, or an exact id",
    },
    active: { type: "boolean", help: "only those whose task is not complete" },
    closed: { type: "boolean", help: "only those whose task is complete" },
    ...PAGE_OPTIONS,
  },
  examples: ["lull conversations list --search 0100", "lull conversations list --active --json"],
  run: (call) =>
    withData(call, async ({ engine }) => {
      const nowMs = call.io.nowMs();
      const listing = await searched(engine.inspector, filterOf(call));
      // One customer may have written to several of our addresses, which are separate conversations.
      const isOne = new Set(listing.items.map(({ address }) => address)).size < 2;
      const customers = call.json ? new Map<string, string>() : await customersOf(engine, listing.items);
      const unsettled = call.json ? new Set<string>() : await unsettledIn(engine.inspector);
      printListing<Conversation>(call, listing, {
        head: ["id", "channel", ...(isOne ? [] : ["address"]), "customer", "status", "updated", ""],
        row: (each) => [
          each.id,
          each.channelType,
          ...(isOne ? [] : [each.address]),
          customers.get(each.id) ?? "",
          statusShown(each, unsettled.has(each.id)),
          relativeTime(each.updatedAtMs, nowMs),
          flagsOf(each),
        ],
        none: await noneOf(engine, call, listing),
      });
      return 0;
    }),
};

/** On AWS another system's conversations are listed from their first turn on: what waits is found before. */
async function noneOf(
  { inspector }: Engine,
  { options: { search, active, closed } }: Call,
  { items }: Listing<Conversation>,
): Promise<string> {
  const none = "No conversations.";
  if (items.length > 0 || active || closed) return none;
  if (search) return `${none}${notSearched((await inspector.counts()).quarantined)}`;
  const waiting = (await inspector.locks({ limit: 1 })).items;
  return waiting.length === 0 ? none : `${none} Messages wait all the same: lull locks shows where.`;
}

/** What another system staged is in no conversation of ours before it is moved. */
function notSearched(rows: number): string {
  if (rows === 0) return "";
  const [are, were] = rows === 1 ? ["is", "was"] : ["are", "were"];
  return ` ${counted(rows, "row")} that ${are} set aside ${were} not searched: lull quarantine`;
}

async function customersOf(
  engine: Engine,
  conversations: readonly Conversation[],
): Promise<ReadonlyMap<string, string>> {
  const named = conversations.map(async (each) => [each.id, await customerOf(engine, each)] as const);
  return new Map(await Promise.all(named));
}

function filterOf(call: Call) {
  const { active, closed } = call.options;
  if (active && closed) throw new UsageError("--active and --closed exclude each other");
  const search = textOption(call, "search");
  return {
    ...pageOf(call),
    ...(search !== undefined && { search }),
    ...((active || closed) && { active: active === true }),
  };
}

/** What stands out about a conversation, in a few words. */
export function flagsOf({ paused, handedOff, taskComplete }: Conversation): string {
  return [paused && "paused", handedOff && "with a human", taskComplete && "closed"]
    .filter(Boolean)
    .join(", ");
}
