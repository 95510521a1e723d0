import { isSynthetic, syntheticSearch } from "../core/synthetic-customers.ts";
import type { Conversation } from "../model/conversation.ts";
import type { PersonAt } from "../model/kept.ts";
import type { Log } from "../model/log.ts";
import type { OperatedEngine } from "../ports/engine.ts";
import { object, optional, text } from "../schema/schema.ts";
import { checkRequest } from "./check-request.ts";
import type { UseCaseContext } from "./use-case.ts";

export const SYNTHETIC_REQUEST = object({
  run: optional(text("Only those of this run; of all runs when left out.")),
});

export interface SyntheticErased {
  readonly erased: number;
  /** There are more: ask again. */
  readonly hasMore: boolean;
}

export interface SyntheticCustomers {
  /** Erases customers whom `lull load-test` made up, so many at once. */
  eraseSynthetic(request?: { readonly run?: string }): Promise<SyntheticErased>;
}

/** Customers of one call: each is some rows. */
const CUSTOMERS_MAX = 500;
/** Of one step: a database is rewritten after each. */
const AT_ONCE = 50;
/** Pages of one call: a store that has no index for a search looks at so many conversations. */
const PAGES_MAX = 100;
const PAGE_ROWS = 100;

export function syntheticCustomers({
  engine,
  log,
}: UseCaseContext & { readonly log: Log }): SyntheticCustomers {
  return {
    async eraseSynthetic(request = {}) {
      checkRequest(request, SYNTHETIC_REQUEST);
      const { people, inspector } = await engine();
      const { found, hasMore } = await synthetic(inspector, syntheticSearch(request.run));
      for (const at of inBatches(found)) await people.erase(at);
      const names = [...new Set(found.map(({ sender }) => sender))];
      if (names.length > 0) await people.erase({ names });
      if (names.length > 0) log("warn", "synthetic.erased", { customers: names.length });
      return { erased: names.length, hasMore };
    },
  };
}

async function synthetic(
  inspector: OperatedEngine["inspector"],
  search: string,
): Promise<{ readonly found: readonly Conversation[]; readonly hasMore: boolean }> {
  const found: Conversation[] = [];
  let cursor: string | undefined;
  for (let pages = 0; pages < PAGES_MAX && found.length < CUSTOMERS_MAX; pages += 1) {
    const page = { search, limit: PAGE_ROWS, ...(cursor !== undefined && { cursor }) };
    const { items, next } = await inspector.conversations(page);
    found.push(...items.filter(({ sender }) => isSynthetic(sender)));
    cursor = next;
    if (cursor === undefined) break;
  }
  return { found, hasMore: cursor !== undefined && found.length > 0 };
}

/** Those of one address of ours, some at a time. */
function inBatches(found: readonly Conversation[]): PersonAt[] {
  const byPlace = Map.groupBy(found, ({ channelType, address }) => JSON.stringify([channelType, address]));
  return [...byPlace.values()].flatMap((all) => {
    const { channelType, address } = all[0]!;
    const names = [...new Set(all.map(({ sender }) => sender))];
    return Array.from({ length: Math.ceil(names.length / AT_ONCE) }, (_, at) => ({
      channelType,
      address,
      names: names.slice(at * AT_ONCE, (at + 1) * AT_ONCE),
      conversationIds: [],
      others: [],
    }));
  });
}
