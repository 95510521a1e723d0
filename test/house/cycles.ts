/** Each as the way round, from its first file in the alphabet on. */
export function cyclesIn(targets: ReadonlyMap<string, readonly string[]>): string[] {
  const found = new Set<string>();
  const done = new Set<string>();
  const follow = (path: string, way: readonly string[]): void => {
    const at = way.indexOf(path);
    if (at !== -1) found.add(fromFirst(way.slice(at)).join(" -> "));
    if (at !== -1 || done.has(path)) return;
    for (const target of targets.get(path) ?? []) follow(target, [...way, path]);
    done.add(path);
  };
  for (const path of targets.keys()) follow(path, []);
  return [...found];
}

function fromFirst(ring: readonly string[]): string[] {
  const at = ring.indexOf([...ring].sort()[0]!);
  return [...ring.slice(at), ...ring.slice(0, at)];
}
