import type { Removal } from "../embedded/tables.ts";
import type { MemoryRows } from "./rows.ts";

export function removal(rows: MemoryRows): Removal {
  return {
    noteErased: () => {},
    named(names, isErasedOn = () => true) {
      rows.refusals = rows.refusals.filter(
        ({ sender, channel }) => !names.includes(sender) || !isErasedOn(channel),
      );
    },
    // A process's memory is no file.
    tracesLeft: () => undefined,
    expire(past, max) {
      const { remembered, messages, turns, refusals } = rows;
      const tooMany = Math.max(0, refusals.length - past.refusalsMax);
      const old = [
        ...[...remembered].flatMap(([id, untilAtMs]) =>
          untilAtMs <= past.nowMs ? [() => remembered.delete(id)] : [],
        ),
        ...[...messages].flatMap(([id, kept]) =>
          olderIn(messages, id, kept, past.keepAfterMs, ({ atMs }) => atMs),
        ),
        ...[...turns].flatMap(([id, kept]) =>
          olderIn(turns, id, kept, past.keepAfterMs, ({ committedAtMs }) => committedAtMs),
        ),
        ...refusals.flatMap((each, at) =>
          at < tooMany || each.atMs < past.refusalsAfterMs
            ? [() => refusals.splice(refusals.indexOf(each), 1)]
            : [],
        ),
      ];
      for (const remove of old.slice(0, max)) remove();
      return { rows: Math.min(old.length, max), isCut: old.length >= max };
    },
  };
}

/** A removal for each item that is older, oldest first. */
function olderIn<T>(
  all: Map<string, T[]>,
  id: string,
  kept: readonly T[],
  afterMs: number,
  atMsOf: (item: T) => number,
): (() => void)[] {
  const old = kept.filter((item) => atMsOf(item) < afterMs);
  return old.map(
    (item) => () =>
      void all.set(
        id,
        all.get(id)!.filter((each) => each !== item),
      ),
  );
}
