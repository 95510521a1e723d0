/** What the caller should do next. There is no third answer. */
export type RetryAdvice = "later" | "never";

export interface LullErrorOptions {
  readonly code: string;
  readonly retry: RetryAdvice;
  /** How long to wait at least, where the failed service said so. */
  readonly retryAfterMs?: number;
  /**
   * `false` where another try may help, but the message itself may be at fault (a model that said nothing):
   * such a failure counts as an attempt. Otherwise "later" means that a service is away, and the turn is
   * tried again until it is back.
   */
  readonly outage?: boolean;
  /**
   * Our own credentials were refused, or cannot be read. The turn waits, since changing them heals it, and an
   * operator is told at once.
   */
  readonly credentials?: boolean;
  readonly cause?: unknown;
}

/** The same in every copy: a project may have one `lull`, and the command that runs it another. */
const OURS = Symbol.for("lull.error");

/** Anything may be thrown, even what throws when it is looked at. */
function isOurs(value: unknown): value is LullError {
  try {
    return typeof value === "object" && value !== null && OURS in value;
  } catch {
    return false;
  }
}

type Class = abstract new (...args: never) => unknown;

const ordinary = Function.prototype[Symbol.hasInstance];

/** `instanceof` goes by what an error is, not by which copy made it. Classes of others are as ever. */
function recognise(ours: Class, isOne: (value: unknown) => boolean): void {
  Object.defineProperty(ours, Symbol.hasInstance, {
    value(this: Class, value: unknown) {
      return this === ours ? isOne(value) : ordinary.call(this, value);
    },
  });
}

/**
 * An unexpected failure, with the one answer that matters: try again or not. Messages are logged: they never
 * hold texts, addresses or secrets.
 */
export class LullError extends Error {
  override readonly name: string = "LullError";
  readonly code: string;
  readonly retry: RetryAdvice;
  readonly retryAfterMs: number | undefined;
  readonly outage: boolean;
  readonly credentials: boolean;

  constructor(message: string, options: LullErrorOptions) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = options.code;
    this.retry = options.retry;
    this.retryAfterMs = options.retryAfterMs;
    this.outage = options.outage ?? options.retry === "later";
    this.credentials = options.credentials ?? false;
  }
}

Object.defineProperty(LullError.prototype, OURS, { value: true });
recognise(LullError, isOurs);

/** The store could not take the write, or took too long to say so. Nothing may be acknowledged. */
export class StoreUnavailable extends LullError {
  override readonly name = "StoreUnavailable";

  constructor(message: string, cause?: unknown) {
    super(message, { code: "STORE_UNAVAILABLE", retry: "later", cause });
  }
}

const INVALID_CONFIG = "INVALID_CONFIG";

/** Something in the configuration that only a person can correct. The message says what and where. */
export class ConfigError extends LullError {
  override readonly name = "ConfigError";

  constructor(message: string, cause?: unknown) {
    super(message, { code: INVALID_CONFIG, retry: "never", cause });
  }
}

recognise(ConfigError, (value) => isOurs(value) && value.code === INVALID_CONFIG);

/** The caller has to put something right. The message says what, and repeats no customer's words. */
export class InvalidRequest extends LullError {
  override readonly name = "InvalidRequest";

  constructor(message: string) {
    super(message, { code: "INVALID_REQUEST", retry: "never" });
  }
}

/**
 * What a log may say of an error from any source. Responders, SDKs and `JSON.parse` quote what people wrote:
 * of theirs only the name, a code and the place in the code are logged. A `LullError` has a message that may
 * be logged.
 */
export function tellable(error: unknown): string {
  try {
    if (error instanceof LullError) return String(error);
    const { name, code, status, cause } = Object(error) as Record<string, unknown>;
    const place = error instanceof Error ? placeOf(error) : undefined;
    // `fetch` says what happened in the cause alone.
    const fact = word(code) ?? word(status) ?? word(Object(cause).code);
    const facts = [fact, place && `at ${place}`].filter((each) => each !== undefined);
    return [error instanceof Error ? (word(name) ?? "Error") : "no error", ...facts].join(" ");
  } catch {
    return UNREADABLE;
  }
}

/**
 * Everything that an error says, for readers of dead letters. An error may be anything, even an object that
 * throws when it is read.
 */
export function wordsOf(error: unknown): string {
  try {
    if (error instanceof LullError) return `${error.code}: ${error.message}`;
    return error instanceof Error ? `${error.name}: ${error.message}${causeOf(error)}` : String(error);
  } catch {
    return UNREADABLE;
  }
}

/** `fetch failed` says nothing without it. */
function causeOf({ message, cause }: Error): string {
  if (!(cause instanceof Error)) return "";
  const { code } = cause as { readonly code?: unknown };
  const said = cause.message || (typeof code === "string" ? code : "");
  return said === "" || message.includes(said) ? "" : ` (${said})`;
}

const UNREADABLE = "an error that cannot be read";

/**
 * A frame as V8 writes it, with a file that has a path and a plain name. Code may set a stack to any text:
 * what does not look like a frame is no place.
 */
const FRAME =
  /^ {4}at (?:[^()]* \()?(?:[a-z][\w+.-]*:|[A-Z]:\\|\/)(?:[^()]*[/\\])?([\w.-]{1,64}:\d{1,7}:\d{1,7})\)?$/;

/** File and line that it comes from. What stands before is the message, which may look like anything. */
function placeOf({ name, message, stack }: Error): string | undefined {
  const head = message === "" ? name : `${name}: ${message}`;
  if (typeof stack !== "string" || !stack.startsWith(head)) return undefined;
  const [, frame = ""] = stack.slice(head.length).split("\n");
  return FRAME.exec(frame)?.[1];
}

function word(value: unknown): string | undefined {
  return /^[\w.-]{1,64}$/.test(String(value ?? "")) ? String(value) : undefined;
}
