/** How many of the latest fit into `bytesMax`. `sizes` are newest first. One always fits. */
export function fitting(sizes: readonly number[], bytesMax: number): number {
  let bytes = 0;
  const tooMany = sizes.findIndex((size, at) => {
    bytes += size;
    return at > 0 && bytes > bytesMax;
  });
  return tooMany === -1 ? sizes.length : tooMany;
}

/** The latest that fit, in their original order. */
export function latestWithin<T>(
  all: readonly T[],
  bytesMax: number,
  storedOf: (item: T) => unknown = (item) => item,
): T[] {
  return all.slice(all.length - fitting(storedSizes(all, storedOf), bytesMax));
}

/** Newest first. */
export function storedSizes<T>(all: readonly T[], storedOf: (item: T) => unknown): number[] {
  return all.map((item) => Buffer.byteLength(JSON.stringify(storedOf(item)))).reverse();
}
