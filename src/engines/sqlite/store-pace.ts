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

/**
 * How many groups were sent to a thread that it has not begun, in memory that the event loop shares with it:
 * it rests only while there is none. A count, since one that comes just before an earlier group begins would
 * be forgotten with it.
 */
export type Rest = Int32Array<SharedArrayBuffer>;

/** For one thread: what was sent to one that has died is not waited for. */
export function newRest(): Rest {
  return new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
}

/** Blocks the thread that calls it, until a group is sent or the time is over. */
export function rest(on: Rest): ReturnType<typeof Atomics.wait> {
  return Atomics.wait(on, 0, 0, RESTING_MS);
}

/** Called by the thread before it carries out a group. */
export function beginGroup(on: Rest): void {
  Atomics.sub(on, 0, 1);
}

/** Called before a group is sent. Ends the rest, also one that has not begun yet: then there will be none. */
export function announceGroup(on: Rest): void {
  Atomics.add(on, 0, 1);
  Atomics.notify(on, 0);
}
