/** What ordering and cutting a batch look at. */
export interface Batchable {
  readonly id: string;
  readonly arrivedAtMs: number;
  readonly sentAtMs?: number;
  readonly position: number;
  readonly sequence: number;
  readonly bytes: number;
}

export interface BatchLimits {
  readonly batchMessagesMax: number;
  readonly batchBytesMax: number;
}

/**
 * Order of a batch: provider time if every message has one, then our arrival in ms, place in the payload,
 * order of staging, id.
 * If one message has no provider time, all go by arrival: mixing two clocks in one comparison can form a
 * cycle.
 */
export function inOrder<T extends Omit<Batchable, "bytes">>(
  messages: readonly T[],
  byProvider = messages.every((message) => message.sentAtMs !== undefined),
): T[] {
  return [...messages].sort(
    (a, b) =>
      (byProvider ? (a.sentAtMs ?? 0) - (b.sentAtMs ?? 0) : 0) ||
      a.arrivedAtMs - b.arrivedAtMs ||
      a.position - b.position ||
      a.sequence - b.sequence ||
      (a.id < b.id ? -1 : 1),
  );
}

/**
 * What one turn takes: in order, within both limits, always at least one.
 * `first` are the messages of an earlier try. They stay together in every try; otherwise they could not be
 * counted together.
 * `all` is given when more messages wait than are passed in: all that wait decide by which clock the batch is
 * chosen, and those in it by which it is ordered.
 */
export function cutBatch<T extends Batchable>(
  messages: readonly T[],
  limits: BatchLimits,
  first: ReadonlySet<string> = new Set(),
  all?: { readonly messages: number; readonly byProvider: boolean },
): { batch: T[]; cut: boolean } {
  const ordered = inOrder(messages, all?.byProvider);
  const wanted = [
    ...ordered.filter(({ id }) => first.has(id)),
    ...ordered.filter(({ id }) => !first.has(id)),
  ];
  const chosen: T[] = [];
  let bytes = 0;
  for (const message of wanted) {
    bytes += message.bytes;
    const fits = chosen.length < limits.batchMessagesMax && bytes <= limits.batchBytesMax;
    if (!fits && chosen.length > 0 && !first.has(message.id)) break;
    chosen.push(message);
  }
  return { batch: inOrder(chosen), cut: chosen.length < (all?.messages ?? messages.length) };
}

/** How many messages a batch holds at most, if none of them weighs less than that; at least one. */
export function messagesInBatchMax(
  { batchMessagesMax, batchBytesMax }: BatchLimits,
  bytesMin: number,
): number {
  return Math.max(1, Math.min(batchMessagesMax, Math.floor(batchBytesMax / bytesMin)));
}

/** The texts of a batch, one line each. Messages without text (media only) add none. */
export function mergeTexts(messages: readonly { readonly text: string }[]): string {
  return messages
    .map(({ text }) => text)
    .filter((text) => text !== "")
    .join("\n");
}
