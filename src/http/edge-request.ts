import type { GivenUp, Reading } from "./intake.ts";

/** A request as every edge hands it in: Node's, a `Request`'s, a Lambda event's. */
export interface EdgeRequest {
  readonly method: string;
  readonly path: string;
  /** As it came, with its question mark; empty when there is none. Signatures are made over it. */
  readonly search: string;
  readonly query: URLSearchParams;
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** What stood before `path` in the called URL, where the edge knows it: `https://host/stage`. */
  readonly base?: string | undefined;
  /** Absent where the edge cannot know it. */
  readonly remoteAddress: string | undefined;
  /**
   * Reads the body once, within the limits of all bodies being read. The handler calls it, so that a request
   * refused by its headers is never read.
   */
  body(bytesMax: number, reading: Reading): Promise<Body>;
}

/** `gone`: the caller hung up before the body was whole; what came must not be used. */
export type Body = Buffer | "too-large" | "gone" | GivenUp;

export interface EdgeAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Whose callers asked, where it is known: they share what a server holds of answers that are not read. */
  readonly party?: string;
}

export type Handle = (request: EdgeRequest) => Promise<EdgeAnswer>;
