import { ConfigError } from "../../errors.ts";
import type { Finding } from "../../ports/finding.ts";
import type { Item } from "./expression.ts";
import type { Site } from "./site.ts";
import { stagedFrom } from "./stage-item.ts";
import { TABLES, type TableName } from "./tables.ts";
import { windowFrom } from "./window.ts";

/** Pages of a megabyte that a person waits for; the sweeper goes through all of them. */
const PAGES_MAX = 5;

/** What is in the small tables and was not written by us. */
export async function checkRows(site: Site): Promise<Finding[]> {
  const found = await Promise.all([
    checkTable(site, "stage", stagedFrom),
    checkTable(site, "triggerLock", windowFrom),
  ]);
  return found.flat();
}

async function checkTable(site: Site, table: TableName, from: (item: Item) => unknown): Promise<Finding[]> {
  const { name } = TABLES[table];
  const foreign: Item[] = [];
  let start: Item | undefined;
  try {
    for (let pages = 0; pages < PAGES_MAX; pages += 1) {
      const { items, next } = await site.store.scanPage(table, { from: start });
      foreign.push(...items.filter((item) => from(item) === undefined));
      start = next;
      if (!start) break;
    }
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return [{ check: `rows of ${name}`, verdict: "warn", detail: `cannot be checked: ${error.message}` }];
  }
  const [first] = foreign;
  if (!first) return [];
  const keys = [first.conversation_id, first.message_sid].filter((key) => key !== undefined).join(", ");
  const many = `${start ? "at least " : ""}${foreign.length}`;
  const detail = `${many} not ours and passed over, such as ${keys}: who else writes there?`;
  return [{ check: `rows of ${name}`, verdict: "warn", detail }];
}
