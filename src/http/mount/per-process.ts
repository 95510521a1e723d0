import type { Mountable } from "./mounted.ts";

/** One service of a process, however often the module that makes it is loaded. */
export interface PerProcess<T extends Mountable> extends Mountable {
  /** The service as it was made last. */
  current(): T;
}

interface Kept {
  /** Makes the service, where it is not made yet. */
  create: () => Mountable;
  current?: Mountable;
  isStarted: boolean;
  /** Why the newest does not run. */
  failure?: unknown;
}

const KEY = Symbol.for("lull.per-process");

/**
 * `export const lull = perProcess(() => createLull(...))`. Next loads a module once for each bundle that
 * needs it, and again with every change in development: in production the first service is used by all, in
 * development the newest takes the place of the one before. It is made when it is first used: `next build`
 * loads the module as well, and has neither accounts nor keys.
 */
export function perProcess<T extends Mountable>(create: () => T): PerProcess<T> {
  const keeper = globalThis as { [KEY]?: Kept };
  keeper[KEY] ??= { create, isStarted: false };
  const kept = keeper[KEY];
  const current = () => {
    kept.current ??= kept.create();
    return kept.current as T;
  };
  if (process.env.NODE_ENV !== "production") {
    kept.create = create;
    if (kept.current !== undefined) void replace(kept, kept.current, create());
  }
  return {
    current,
    async handle(request) {
      if (kept.failure !== undefined) throw kept.failure;
      return current().handle(request);
    },
    get aliases() {
      return current().aliases;
    },
    start() {
      kept.isStarted = true;
      return current().start();
    },
    stop(graceMs) {
      kept.isStarted = false;
      return current().stop(graceMs);
    },
  };
}

/** The new one takes messages at once. Where it cannot start, every request says why. */
async function replace(kept: Kept, before: Mountable, next: Mountable): Promise<void> {
  kept.current = next;
  kept.failure = undefined;
  try {
    await before.stop();
    if (kept.isStarted && kept.current === next) await next.start();
  } catch (error) {
    if (kept.current === next) kept.failure = error;
  }
}
