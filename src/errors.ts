/** What the caller should do next. There is no third answer. */
export type RetryAdvice = "later" | "never";

export interface LullErrorOptions {
  readonly code: string;
  readonly retry: RetryAdvice;
  /** How long to wait at least, where somebody told. */
  readonly retryAfterMs?: number;
  /**
   * `false` where another try may help, but the message itself may be at fault (a model that said nothing): such a failure counts as an
   * attempt. Otherwise "later" means that somebody is away, and the turn is tried again until they are back.
   */
  readonly outage?: boolean;
  readonly cause?: unknown;
}

/** Something unexpected, with the one answer that matters: try again or not. Messages never hold texts, addresses or secrets. */
export class LullError extends Error {
  override readonly name: string = "LullError";
  readonly code: string;
  readonly retry: RetryAdvice;
  readonly retryAfterMs: number | undefined;
  readonly outage: boolean;

  constructor(message: string, options: LullErrorOptions) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = options.code;
    this.retry = options.retry;
    this.retryAfterMs = options.retryAfterMs;
    this.outage = options.outage ?? options.retry === "later";
  }
}

/** The store could not take the write, or took too long to say so. Nothing may be acknowledged. */
export class StoreUnavailable extends LullError {
  override readonly name = "StoreUnavailable";

  constructor(message: string, cause?: unknown) {
    super(message, { code: "STORE_UNAVAILABLE", retry: "later", cause });
  }
}

/** Something in the configuration that only a person can put right. The message says what and where. */
export class ConfigError extends LullError {
  override readonly name = "ConfigError";

  constructor(message: string, cause?: unknown) {
    super(message, { code: "INVALID_CONFIG", retry: "never", cause });
  }
}
