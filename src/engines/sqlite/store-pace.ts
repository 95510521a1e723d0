/**
 * How requests gather. A commit costs as much as carrying out a handful of them, so after a small group the
 * thread rests, and what is asked for meanwhile shares the next one. It says when it is ready; until then the
 * event loop keeps what comes, unless that is a large group: that one goes out at once and waits at the
 * thread, which is then busy for as long as large groups come. The first request after a quiet time waits for
 * nothing.
 */

/** What the thread says when it is ready for the next group. What else it says is a group's reply. */
export const NEXT = "next";

/** Requests of a small group, at most. */
export const SMALL_GROUP_MAX = 15;

export const RESTING_MS = 2;
