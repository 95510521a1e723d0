/** What is kept under a name that comes from outside: `constructor` is none, although every object has it. */
export function byName<T>(of: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(of, name) ? of[name] : undefined;
}
