/**
 * What is read of a request, read once although several ask in a row: the check of its signature and its
 * parser see the same, and the second costs nothing. Only the last request is remembered: a map of all that
 * are under way costs the garbage collector more than most requests that are read twice.
 */
export function readOnce<From extends object, T>(read: (from: From) => T): (from: From) => T {
  let last: { readonly from: From; readonly found: T } | undefined;
  return (from) => {
    if (last?.from !== from) last = { from, found: read(from) };
    return last.found;
  };
}
