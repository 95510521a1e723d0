/**
 * What is read of a request, read once however many ask: the check of its signature and its parser see the
 * same, and the second costs nothing. It is kept for as long as the request is.
 */
export function readOnce<From extends object, T>(read: (from: From) => T): (from: From) => T {
  const known = new WeakMap<From, { readonly read: T }>();
  return (from) => {
    let found = known.get(from);
    if (found === undefined) {
      found = { read: read(from) };
      known.set(from, found);
    }
    return found.read;
  };
}
