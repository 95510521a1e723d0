/** How many of the latest fit into so many bytes. `sizes` are newest first; one always fits: no past at all would help nobody. */
export function fitting(sizes: readonly number[], bytesMax: number): number {
  let bytes = 0;
  const tooMany = sizes.findIndex((size, at) => {
    bytes += size;
    return at > 0 && bytes > bytesMax;
  });
  return tooMany === -1 ? sizes.length : tooMany;
}
