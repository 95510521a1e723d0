import type { DeadLetterTable } from "../../embedded/tables.ts";
import type { RowCache } from "../row-cache.ts";

/** Every turn that is shown its history asks for them, and nearly no conversation has any. */
export function cachedDeadLetters(letters: DeadLetterTable, { letterless }: RowCache): DeadLetterTable {
  return {
    ...letters,
    put(letter) {
      letters.put(letter);
      letterless.delete(letter.conversationId);
    },
    latest(id, max, bytesMax) {
      if (letterless.has(id)) return [];
      const found = letters.latest(id, max, bytesMax);
      if (found.length === 0 && max > 0) letterless.put(id, true);
      return found;
    },
  };
}
