/** Runs over all of them, a few at a time, and ends with the first error: none is begun after it. */
export async function inLanes<T>(
  items: Iterable<T>,
  width: number,
  run: (item: T) => Promise<void>,
): Promise<void> {
  const waiting = items[Symbol.iterator]();
  let failed = false;
  const lane = async () => {
    for (let next = waiting.next(); !next.done && !failed; next = waiting.next()) {
      try {
        await run(next.value);
      } catch (error) {
        failed = true;
        throw error;
      }
    }
  };
  await Promise.all(Array.from({ length: width }, lane));
}
