/** What is not for an operator to set. Each number has a test at its limit. */

/** A body with fewer bytes in each second of `BODY_PATIENCE_MS` is given up. A phone in a lift is faster. */
export const BODY_BYTES_PER_SECOND_MIN = 1_000;
export const BODY_PATIENCE_MS = 3_000;

/** What a body costs while it is being read, besides its bytes: a connection, its parser, its listeners. */
export const OPEN_BODY_BYTES = 8_000;

/** Status callbacks handled at once, as a share of the webhooks. Three come for each reply. */
export const STATUS_SHARE = 1 / 10;

/** API requests of the operator handled at once: a page of a console makes a handful. */
export const API_REQUESTS_MAX = 100;

/** API requests of one project handled at once. Each project has places of its own. */
export const PROJECT_API_REQUESTS_MAX = 20;

/** Searches among them: each looks through the conversations of all, and SQLite has one reader for all. */
export const PROJECT_SEARCHES_MAX = 2;

/** Lists of one project that are made at once, for the same reason. Others keep their place, and wait. */
export const PROJECT_LISTS_MAX = 2;

/** Readiness checks handled at once. A load balancer asks every few seconds. */
export const OTHER_REQUESTS_MAX = 20;

/**
 * Bytes of all answers that their callers have yet to read: above that the oldest is dropped. A feed has
 * about 100 KB and is read in a moment.
 */
export const ANSWERS_BYTES_MAX = 8_000_000;

/** How long an answer may wait for a caller that does not read it, and how fast it must then be read. */
export const ANSWER_PATIENCE_MS = 20_000;
export const ANSWER_BYTES_PER_SECOND_MIN = 10_000;

/** How often one visitor's pages may ask. A feed costs some milliseconds of what all visitors share. */
export const FEEDS_PER_MINUTE_MAX = 300;
