import { toPublic } from "../../http/public-json.ts";
import type { Listing } from "../../ports/inspector.ts";
import type { Call } from "../command.ts";
import { tableHeads } from "./colour.ts";
import { table } from "./table.ts";
import { textWithin } from "./wrapped.ts";

/** The same shapes as the API's, so that one parser reads both. */
export function printJson(call: Call, value: unknown): void {
  call.io.out(JSON.stringify(toPublic(value), null, 2));
}

/** A result for programs or a sentence for people. */
export function printResult(call: Call, value: unknown, sentence: string): void {
  if (call.json) printJson(call, value);
  else call.io.out(textWithin(sentence, call.io.columns), tableHeads);
}

export interface Columns<T> {
  readonly head: readonly string[];
  readonly row: (item: T) => readonly string[];
  /** What to print when there is nothing: an empty table looks like a mistake. */
  readonly none: string;
}

export function printListing<T>(call: Call, listing: Listing<T>, { head, row, none }: Columns<T>): void {
  if (call.json) printJson(call, { items: listing.items, next: listing.next });
  else if (listing.items.length === 0) call.io.out(nothing(listing, none));
  else call.io.out(table(head, listing.items.map(row)), tableHeads);
  if (!call.json && listing.next !== undefined) call.io.out(`\nThere is more: --cursor ${listing.next}`);
}

/** A page may be empty because enough was read for one. */
function nothing({ next }: Listing<unknown>, none: string): string {
  return next === undefined ? none : "None among those looked at.";
}

export interface Blocks<T> {
  readonly block: (item: T) => readonly string[];
  readonly none: string;
  /** What a person does with what is listed. */
  readonly hint: string;
}

/** The same for what is too long for one line: an empty line between two of them. */
export function printBlocks<T>(call: Call, listing: Listing<T>, { block, none, hint }: Blocks<T>): void {
  if (call.json) {
    printJson(call, { items: listing.items, next: listing.next });
    return;
  }
  const blocks = listing.items.map((item) => textWithin(block(item).join("\n"), call.io.columns));
  call.io.out(
    blocks.length === 0
      ? nothing(listing, none)
      : [...blocks, textWithin(hint, call.io.columns)].join("\n\n"),
  );
  if (listing.next !== undefined) call.io.out(`\nThere is more: --cursor ${listing.next}`);
}
