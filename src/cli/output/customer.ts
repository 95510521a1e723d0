import type { Named } from "../../model/names.ts";

/** A person by every name that their conversation has: an operator often knows only the number. */
export function customerOf({ sender, senderAlias }: Named): string {
  return senderAlias === undefined ? sender : `${sender} (also ${senderAlias})`;
}
