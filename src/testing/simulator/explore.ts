import { type SimulateOptions, simulate } from "./simulate.ts";

/** The results of many runs. */
export interface Exploration {
  readonly schedules: number;
  readonly steps: number;
  /** Seeds whose run broke a promise. */
  readonly broken: readonly number[];
  /** How often each fault hit each step, as `fault @ step`. */
  readonly cells: Readonly<Record<string, number>>;
}

export interface ExploreOptions extends SimulateOptions {
  readonly fromSeed: number;
  readonly schedules: number;
  readonly onProgress?: (done: number, broken: number) => void;
  /** Stop at the first broken promise. */
  readonly untilBroken?: boolean;
}

const PROGRESS_EVERY = 100;

export async function explore(options: ExploreOptions): Promise<Exploration> {
  const cells: Record<string, number> = {};
  const broken: number[] = [];
  let steps = 0;
  let done = 0;
  for (; done < options.schedules; ) {
    const seed = options.fromSeed + done;
    const run = await simulate(seed, options);
    // Between two runs the rest of the process gets its turn: messages out, signals in.
    await new Promise((resolve) => setImmediate(resolve));
    done += 1;
    steps += run.steps;
    for (const { step, kind } of run.hits) cells[`${kind} @ ${step}`] = (cells[`${kind} @ ${step}`] ?? 0) + 1;
    if (run.violations.length > 0) broken.push(seed);
    if (done % PROGRESS_EVERY === 0) options.onProgress?.(done, broken.length);
    if (options.untilBroken && broken.length > 0) break;
  }
  return { schedules: done, steps, broken, cells };
}
