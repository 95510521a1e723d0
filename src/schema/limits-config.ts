/** Limits by their public names: times in seconds, hours and days. */
export interface LimitsConfig {
  /** Turns at once, per worker. Default `50`, at least 1. `LULL_CONCURRENCY`. */
  readonly concurrency?: number;
  /**
   * How long a silent worker keeps a conversation. In seconds, default `60`, from 0.1 to 86400.
   * `LULL_LEASE_SECONDS`.
   */
  readonly leaseSeconds?: number;
  /**
   * Crashes and unexplained failures before a turn becomes a dead letter. Default `5`, at least 1.
   * `LULL_ATTEMPTS_MAX`.
   */
  readonly attemptsMax?: number;
  /**
   * How long an outage of the responder or the provider is waited out. In seconds, default `1800`, from 0 to
   * 604800 (a week). `LULL_RETRY_FOR_SECONDS`.
   */
  readonly retryForSeconds?: number;
  /**
   * How long the responder may take. In seconds, default `120`, from 0.1 to 604800 (a week).
   * `LULL_ANSWER_TIMEOUT_SECONDS`.
   */
  readonly answerTimeoutSeconds?: number;
  /**
   * With `failureText`: how late a turn is that the customer is told of, once a try of it failed; one that
   * fails for good is told at once. In seconds, default `60`, from 0 to 604800 (a week).
   * `LULL_FAILURE_TEXT_AFTER_SECONDS`.
   */
  readonly failureTextAfterSeconds?: number;
  /**
   * How long one send may take; a third of the lease at most. In seconds, default `15`, from 0.1 to 604800 (a
   * week). `LULL_SEND_TIMEOUT_SECONDS`.
   */
  readonly sendTimeoutSeconds?: number;
  /**
   * How long a lost send may still be inside the provider before it counts as not sent. In seconds, default
   * `30`, from 0 to 604800 (a week). `LULL_SETTLE_SECONDS`.
   */
  readonly settleSeconds?: number;
  /**
   * How long a webhook may take before its provider is told to come back. In seconds, default `10`, from 0.1
   * to 604800 (a week). `LULL_RECEIVE_TIMEOUT_SECONDS`.
   */
  readonly receiveTimeoutSeconds?: number;
  /**
   * How often stranded work is looked for. In seconds, default `5` (on AWS `60`), from 0.1 to 604800 (a
   * week). `LULL_SWEEP_SECONDS`.
   */
  readonly sweepSeconds?: number;
  /**
   * How late a window may be before it counts as stranded. In seconds, default `5` (on AWS `60`), from 0 to
   * 604800 (a week). `LULL_GRACE_SECONDS`.
   */
  readonly graceSeconds?: number;
  /**
   * First pause after a failed turn; the next ones are about twice as long each. In seconds, default `1`,
   * from 0 to 604800 (a week). `LULL_BACKOFF_SECONDS`.
   */
  readonly backoffSeconds?: number;
  /**
   * Longest pause after a failed turn, give or take half; a Retry-After may ask for more. In seconds, default
   * `60`, from 0 to 604800 (a week). `LULL_BACKOFF_SECONDS_MAX`.
   */
  readonly backoffSecondsMax?: number;
  /**
   * Messages that may wait in one conversation; beyond that they are refused (429) and the customer is told
   * once. Default `2000`, at least 1. `LULL_STAGED_MESSAGES_MAX`.
   */
  readonly stagedMessagesMax?: number;
  /**
   * Bytes of text that may wait in one conversation; beyond that messages are refused. Default `8000000`, at
   * least 1. `LULL_STAGED_BYTES_MAX`.
   */
  readonly stagedBytesMax?: number;
  /** Messages in one turn. Default `500` (on AWS `30`), at least 1. `LULL_BATCH_MESSAGES_MAX`. */
  readonly batchMessagesMax?: number;
  /**
   * Bytes of text in one turn; the larger a turn may be, the longer its commit keeps others waiting. Default
   * `100000` (on AWS `256000`), at least 1. `LULL_BATCH_BYTES_MAX`.
   */
  readonly batchBytesMax?: number;
  /**
   * How long message ids are remembered, so that one that comes again is recognised. About 31 bytes each in a
   * SQLite file. In hours, default `168`, from 0 to 2160. `LULL_DEDUPE_HOURS`.
   */
  readonly dedupeHours?: number;
  /**
   * Bytes of one reply: its texts, and the addresses of its media; beyond that it is a dead letter. Default
   * `64000`, from 1 to 256000. `LULL_REPLY_BYTES_MAX`.
   */
  readonly replyBytesMax?: number;
  /**
   * Messages that one reply is sent as; beyond that it is a dead letter. Default `50`, from 1 to 200.
   * `LULL_REPLY_MESSAGES_MAX`.
   */
  readonly replyMessagesMax?: number;
  /** Earlier messages that the responder is given. Default `50`, at least 1. `LULL_HISTORY_MESSAGES_MAX`. */
  readonly historyMessagesMax?: number;
  /**
   * Bytes of earlier messages, as they are stored, that the responder is given; the latest always comes.
   * Default `256000`, at least 1. `LULL_HISTORY_BYTES_MAX`.
   */
  readonly historyBytesMax?: number;
  /** Restarts of one turn under `whileBusy: restart`. Default `2`, at least 0. `LULL_RESTARTS_MAX`. */
  readonly restartsMax?: number;
  /**
   * With `honourStatus`: how long another system's `processing_reply` puts a turn off; after that it counts
   * as left behind, and the turn starts. In seconds, default `600`, from 0 to 604800 (a week).
   * `LULL_HONOUR_STATUS_SECONDS`.
   */
  readonly honourStatusSeconds?: number;
  /**
   * With `honourStatus`: how long one turn is put off at most, also where the other system changes the record
   * again and again. In seconds, default `3600`, from 0 to 604800 (a week). `LULL_HONOUR_STATUS_SECONDS_MAX`.
   */
  readonly honourStatusSecondsMax?: number;
  /**
   * How often a turn looks for newer messages then. In seconds, default `1`, from 0.1 to 604800 (a week).
   * `LULL_RESTART_POLL_SECONDS`.
   */
  readonly restartPollSeconds?: number;
  /**
   * How often a worker looks for windows that other processes armed. In seconds, default `0.1`, from 0.1 to
   * 604800 (a week). `LULL_POLL_SECONDS`.
   */
  readonly pollSeconds?: number;
  /**
   * Bytes of one request, where its channel has no limit of its own (`bodyBytesMax`: Twilio and WATI 65536,
   * web 96000, which follows its `textLengthMax`). Default `1000000`, at least 1. `LULL_BODY_BYTES_MAX`.
   */
  readonly bodyBytesMax?: number;
  /**
   * How long a body may take to come; one from which less than 1,000 bytes come in each of three seconds is
   * given up before. In seconds, default `20`, from 0.1 to 604800 (a week). `LULL_BODY_TIMEOUT_SECONDS`.
   */
  readonly bodyTimeoutSeconds?: number;
  /**
   * Bytes of all bodies that are being read, per worker; beyond that the oldest is given up, and those above
   * 64 KB are not taken (429). A body counts until its request is over. At least twice the largest body.
   * Bodies of `/api`, whose callers are known, have as much again. Default `16000000`, at least 1.
   * `LULL_READING_BYTES_MAX`.
   */
  readonly readingBytesMax?: number;
  /**
   * Webhooks in the air at once, per worker, counted once their body is there; status callbacks have a tenth
   * as many places of their own. Default `5000`, at least 1. `LULL_REQUESTS_MAX`.
   */
  readonly requestsMax?: number;
  /**
   * Feeds of visitors in the air at once, per worker; the phone page asks again a second later. Default `30`,
   * at least 1. `LULL_FEED_REQUESTS_MAX`.
   */
  readonly feedRequestsMax?: number;
  /**
   * Open connections, per worker; beyond that the one that was not used for the longest time is closed. Each
   * carries one request at a time. Default `6000`, at least 1. `LULL_CONNECTIONS_MAX`.
   */
  readonly connectionsMax?: number;
  /**
   * Messages per sender and minute; `0`: no limit. Beyond that 429 until there is room; a payload of more
   * than that is taken when nothing else was for a minute. Default `0`, at least 0.
   * `LULL_SENDER_PER_MINUTE_MAX`.
   */
  readonly senderPerMinuteMax?: number;
  /**
   * The same for visitors of a web channel, signed or not, where there is none for all; `0`: no limit.
   * Default `120`, at least 0. `LULL_VISITOR_PER_MINUTE_MAX`.
   */
  readonly visitorPerMinuteMax?: number;
  /**
   * How long committed messages are kept; `0`: for good. Refusals, which name who wrote, go after as long,
   * and after 30 days in any case. In days, default `0`, from 0 to 36500. `LULL_RETENTION_DAYS`.
   */
  readonly retentionDays?: number;
}
