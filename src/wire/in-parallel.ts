/**
 * Like `Promise.all` over `map`, a few at a time. Results keep their order. It ends with the first error, and
 * none is begun after that.
 */
export async function inParallel<T, R>(
  items: Iterable<T>,
  width: number,
  run: (item: T) => Promise<R> | R,
): Promise<R[]> {
  const results: R[] = [];
  const waiting = items[Symbol.iterator]();
  let begun = 0;
  let failed = false;
  const lane = async () => {
    for (let next = waiting.next(); !next.done && !failed; next = waiting.next()) {
      const at = begun;
      begun += 1;
      try {
        results[at] = await run(next.value);
      } catch (error) {
        failed = true;
        throw error;
      }
    }
  };
  await Promise.all(Array.from({ length: width }, lane));
  return results;
}

/** Those for which it answers true. */
export async function filterInParallel<T>(
  items: readonly T[],
  width: number,
  run: (item: T) => Promise<boolean> | boolean,
): Promise<T[]> {
  const answers = await inParallel(items, width, run);
  return items.filter((_, at) => answers[at]);
}
