import { getEnvironmentData, setEnvironmentData } from "node:worker_threads";

const KEY = "lull.companion";
const WELCOMED = 0;
const ACTED = 1;

interface Companion {
  readonly module: string;
  readonly data: unknown;
  readonly marks: Int32Array;
}

/**
 * Offers a module to all threads that this process starts from now on: it has to run where the event loop
 * cannot block it, and a thread of its own costs 12 MB. Tells whether a thread took it.
 */
export function offerCompanion(module: URL, data: unknown): () => boolean {
  const marks = new Int32Array(new SharedArrayBuffer(8));
  setEnvironmentData(KEY, { module: module.href, data, marks } as never);
  return () => Atomics.load(marks, WELCOMED) === 1;
}

/** For a thread that is never blocked for long. */
export function welcomeCompanion(): void {
  const offered = offer();
  if (offered === undefined) return;
  Atomics.store(offered.marks, WELCOMED, 1);
  void import(offered.module);
}

/** What the module was given, in the thread that took it. */
export function companionData<T>(): T {
  return offer()?.data as T;
}

/** True for the first that asks: several threads may have taken the module. */
export function actsAlone(): boolean {
  const marks = offer()?.marks;
  return marks === undefined || Atomics.compareExchange(marks, ACTED, 0, 1) === 0;
}

function offer(): Companion | undefined {
  return getEnvironmentData(KEY) as unknown as Companion | undefined;
}
