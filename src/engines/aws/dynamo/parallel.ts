/** Like `Promise.all` over `map`, a few at a time. Results keep their order. */
export async function inParallel<T, R>(
  items: readonly T[],
  width: number,
  run: (item: T) => Promise<R>,
): Promise<R[]> {
  const results = new Array<R>(items.length);
  let next = 0;
  const lane = async () => {
    while (next < items.length) {
      const at = next;
      next += 1;
      results[at] = await run(items[at]!);
    }
  };
  await Promise.all(Array.from({ length: Math.min(width, items.length) }, lane));
  return results;
}

/** Those for which it answers true. */
export async function filterInParallel<T>(
  items: readonly T[],
  width: number,
  run: (item: T) => Promise<boolean>,
): Promise<T[]> {
  const answers = await inParallel(items, width, run);
  return items.filter((_, at) => answers[at]);
}
