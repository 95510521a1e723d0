/**
 * How requests gather. A commit costs as much as carrying out a handful of them, so after a small group the
 * thread rests, and what is asked for meanwhile shares the next one. It says when it is ready; until then the
 * event loop keeps what comes, unless that is a large group: that one goes out at once, ends the rest, and
 * keeps the thread busy. The first request after a quiet time waits for nothing.
 */

/** What the thread says when it is ready for the next group. What else it says is a group's reply. */
export const NEXT = "next";

/** Requests of a small group, at most. */
export const SMALL_GROUP_MAX = 15;

const RESTING_MS = 2;

/** The rest of one thread, in memory that the event loop shares with it. */
export type Rest = Int32Array<SharedArrayBuffer>;

export function newRest(): Rest {
  return new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
}

/** Blocks the thread that calls it. */
export function rest(on: Rest): void {
  Atomics.wait(on, 0, 0, RESTING_MS);
}

/** Called by the thread before it carries out a group: a rest that was ended is over. */
export function beginGroup(on: Rest): void {
  Atomics.store(on, 0, 0);
}

/** Also if the rest has not begun yet: then there will be none. */
export function endRest(on: Rest): void {
  Atomics.store(on, 0, 1);
  Atomics.notify(on, 0);
}
