import fc from "fast-check";
import { vi } from "vitest";

const RUNS = whole("LULL_FUZZ_RUNS") ?? 60;
const SEED = whole("LULL_FUZZ_SEED");
const INHERITED = Reflect.ownKeys(Object.prototype).length;
const PATH = process.env.LULL_FUZZ_PATH;

// A run with more tries gets more time.
vi.setConfig({ testTimeout: Math.max(30_000, RUNS * 500) });

/**
 * Tries a property `LULL_FUZZ_RUNS` times (`share` of it, where one try is dear). What fast-check prints on a
 * failure is what replays it:
 * `LULL_FUZZ_SEED=<seed> LULL_FUZZ_PATH=<path> npx vitest run <file> -t "<name of the test>"`.
 */
export async function hold<T>(
  property: fc.IProperty<T> | fc.IAsyncProperty<T>,
  { share = 1, examples = [] }: { readonly share?: number; readonly examples?: T[] } = {},
): Promise<void> {
  await fc.assert(property as fc.IAsyncProperty<T>, {
    numRuns: Math.max(5, Math.ceil(RUNS * share)),
    examples,
    ...(SEED !== undefined && { seed: SEED }),
    ...(SEED !== undefined && PATH !== undefined && { path: PATH }),
  });
  // Input must not have become a property of every object.
  if (Reflect.ownKeys(Object.prototype).length !== INHERITED) throw new Error("Object.prototype was changed");
}

function whole(name: string): number | undefined {
  const given = process.env[name];
  if (given === undefined || given === "") return undefined;
  if (!/^-?\d+$/.test(given)) throw new Error(`${name} must be a whole number`);
  return Number(given);
}
