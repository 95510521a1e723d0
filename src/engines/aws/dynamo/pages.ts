import type { Item } from "./expression.ts";
import type { PageOfItems } from "./store.ts";

/** One page after the other, for as long as the reader goes on. */
export async function* pages(
  read: (from: Item | undefined) => Promise<PageOfItems>,
  start?: Item,
): AsyncGenerator<Item[]> {
  let from = start;
  do {
    const { items, next } = await read(from);
    yield items;
    from = next;
  } while (from);
}
