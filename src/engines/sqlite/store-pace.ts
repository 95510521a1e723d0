/** What the thread says when it is ready for the next group; what else it says is a group's reply. */
export const NEXT = "next";

/**
 * Requests of a small group. After it the thread waits a moment for more. A larger group goes to the thread
 * while it is still at work: then commits are shared anyway, and it is kept busy.
 */
export const SMALL_GROUP_MAX = 15;
