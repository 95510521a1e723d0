import { type Item, present } from "./expression.ts";
import { transactionToken } from "./keys.ts";
import type { Site } from "./site.ts";

/**
 * True for the one whose call took it away. A plain delete whose answer got lost would find nothing the second time, and believe that
 * somebody else was first: a transaction knows its own token.
 */
export async function removeOnce(site: Site, key: Item): Promise<boolean> {
  const token = transactionToken("remove", site.newId());
  const { kind } = await site.store.transact(
    [{ kind: "delete", table: "messages", key, condition: present("item_id") }],
    token,
  );
  return kind === "done";
}
