/** Where a limit is only passed on: said, checked, filled in, or made for a test. */
const PASSING_ON = /^(?:model|config|cdk|testing)\/|^core\/(?:defaults|limits)\.ts$|\.test\.ts$/;

/** Limits that can be set and change nothing: no source that does something names them. */
export function unreadLimits(
  names: readonly string[],
  sources: Iterable<readonly [path: string, text: string]>,
): string[] {
  const words = new Set(
    [...sources].flatMap(([path, text]) => (PASSING_ON.test(path) ? [] : (text.match(/\w+/g) ?? []))),
  );
  return names.filter((name) => !words.has(name));
}
