import type { Inspector, Listing, Page } from "../ports/inspector.ts";
import { type Command, PAGE_OPTIONS, pageOf } from "./command.ts";
import { withData } from "./data.ts";
import { type Columns, printListing } from "./output/print.ts";

/** A command that prints one page of what the store lists. */
export function listCommand<T>(
  about: string,
  read: (inspector: Inspector, page: Page) => Promise<Listing<T>>,
  columns: (nowMs: number, items: readonly T[]) => Columns<T>,
): Command {
  return {
    about,
    options: PAGE_OPTIONS,
    run: (call) =>
      withData(call, async ({ engine }) => {
        const listing = await read(engine.inspector, pageOf(call));
        printListing(call, listing, columns(call.io.nowMs(), listing.items));
        return 0;
      }),
  };
}
