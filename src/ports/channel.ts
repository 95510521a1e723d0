import type { ChunkReference, DeliveryStatus, InboundMessage, Media } from "../model/message.ts";
import type { RefusalCode } from "../model/refusal.ts";
import type { Finding } from "./check-result.ts";
import type { Secrets } from "./secrets.ts";

/** A webhook request as it came in. The body is raw: signatures are made over bytes. */
export interface WebhookRequest {
  readonly method: string;
  /** The called URL, with path and query, built from the public URL and never from the Host header. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: Buffer;
}

/** A webhook whose body has not been read yet. */
export type WebhookHead = Omit<WebhookRequest, "body">;

/** Why a webhook is refused unread. */
export interface HeadRefusal {
  readonly code: "INVALID_SIGNATURE" | "INVALID_PAYLOAD";
  readonly why: string;
}

export interface WebhookAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export type Verdict = { readonly kind: "authentic" } | { readonly kind: "refused"; readonly why: string };

/** What a webhook holds. "Not for us" and "broken" are values: a provider that sends them is not in error. */
export type Parsed =
  | {
      readonly kind: "updates";
      readonly messages: readonly InboundMessage[];
      readonly statuses: readonly DeliveryStatus[];
    }
  | { readonly kind: "ignored"; readonly why: string }
  | { readonly kind: "invalid"; readonly why: string }
  /** The provider asks us to prove that the endpoint is ours: answered before anything else. */
  | { readonly kind: "challenge"; readonly answer: WebhookAnswer };

/** What the webhook's answer has to say: success, or why not. */
export interface ReceiveSummary {
  /** The first refusal in the payload, if any. */
  readonly code?: RefusalCode;
  /** For people: what is missing or wrong. Never a text or an address. */
  readonly detail?: string;
  /** The busy text, if this answer is the way to send it. */
  readonly busyText?: string;
  readonly retryAfterSeconds?: number;
  /** Where the message was staged, for callers that show a conversation (the phone page). */
  readonly conversationId?: string;
}

/** One chunk of a reply to be sent. */
export interface Outgoing {
  /** The customer's address as the provider wants it. */
  readonly to: string;
  /** Our address that the customer wrote to. */
  readonly from: string;
  readonly text: string;
  readonly media?: readonly Media[];
  readonly reference: ChunkReference;
  readonly conversationId: string;
  /** Which credentials the conversation's record asks for. A channel with one account need not look at it. */
  readonly credentialsId?: string;
}

/** Every `why` is for people and for the log: never a text or an address. */
export type SendOutcome =
  | { readonly kind: "sent"; readonly providerId: string }
  /** Certainly not sent. `retry: "later"` may be tried again, `"never"` may not. */
  | {
      readonly kind: "not-sent";
      readonly retry: "later" | "never";
      readonly retryAfterMs?: number;
      /** Credentials refused or unreadable: an operator is told, and `retry: "later"` waits for new ones. */
      readonly credentials?: true;
      readonly why: string;
    }
  /** It may or may not have been sent, and the provider did not say. */
  | { readonly kind: "unknown"; readonly why: string };

export interface ReconcileQuery extends Outgoing {
  /** Nothing sent before this moment, on our clock, can be the chunk; the provider's may differ. */
  readonly notBeforeAtMs: number;
  /** Provider ids already recorded for other chunks: the same text may have been sent before. */
  readonly excludeProviderIds: readonly string[];
}

export type ReconcileOutcome =
  | { readonly kind: "sent"; readonly providerId: string }
  | { readonly kind: "not-sent" }
  /** With `retry: "never"` asking again cannot help; else it is asked again, like after an outage. */
  | { readonly kind: "cannot-tell"; readonly why: string; readonly retry?: "never" };

/** What the runtime gives to a channel once, before the first request. */
export interface ChannelContext {
  readonly name: string;
  /** What its author finds it under, for errors: `channels.<name>`, or that within its project. */
  readonly where?: string;
  /**
   * The project that it is listed under. Such a channel takes nothing from the environment, which is the
   * operator's: no secret, no account and no number.
   */
  readonly project?: string;
  readonly secrets: Secrets;
  /** Base of the public URL, if one is configured. */
  readonly publicUrl?: string;
  /** Where the provider posts delivery statuses, if a public URL is configured. */
  readonly statusUrl?: string;
  /** What the provider may call, if a public URL is configured: the channel's own path, then aliases. */
  readonly webhookUrls?: readonly string[];
  readonly nowMs: () => number;
  /**
   * Resolves after `ms`, or as soon as `signal` aborts: for a provider that allows so many calls a second. A
   * service always gives it; a context that is made by hand may leave it out, and then nothing is waited for.
   */
  readonly sleep?: (ms: number, signal?: AbortSignal) => Promise<void>;
}

/**
 * Part of a list of what was received: a message, or that the provider has answered and is asked for more. A
 * list of many questions says so after each: what it has found so far is staged, and silence is noticed.
 */
export type Listed = InboundMessage | "asking";

/** What the runtime has to know of a channel. */
export interface ChannelFacts {
  /** The type that rules and conversation keys use: `wati` is of type `whatsapp`. */
  readonly type: string;
  /** Longest text that one message may carry; longer replies are sent in chunks. */
  readonly textMax: number;
  /** The largest body that its provider sends. Larger ones are not read. Default: `limits.bodyBytesMax`. */
  readonly bodyBytesMax?: number;
  /** Characters of a text that it accepts; a longer one is refused. If absent, only the body has a limit. */
  readonly textLengthMax?: number;
  /** Set if visitors call it from a page: each has a rate limit, even if none is configured for all. */
  readonly hasVisitors?: boolean;
  /** Set if callers need not prove who they are. */
  readonly isUnsigned?: boolean;
  /**
   * Set if only this machine may write, as told by the host name of the request: any other caller that
   * reaches the port can send that name.
   */
  readonly isForThisMachine?: boolean;
  /**
   * How long after its end a request may still be inside the provider, unseen by `reconcile`. Default:
   * `settleSeconds`.
   */
  readonly settleMs?: number;
  /**
   * The channel's own addresses, once it is open: it brings messages for no others. If several channels are
   * of one type, each must name its own, no two the same, or their customers would mix. The only channel of
   * its type may name none, and then brings messages for every address.
   */
  readonly addresses?: readonly string[];
  /** The option or variable that names them, for the error that asks for it. */
  readonly addressesSetBy?: string;
  /**
   * Set if its provider takes a refused message for received: `answer` says 2xx, and it is not sent again.
   * Lull then remembers it like an answered message, so that a captured webhook is worth nothing.
   */
  readonly refusesForGood?: boolean;
  /** True if `answer` can carry the busy text itself (TwiML); otherwise it is sent as a turn of its own. */
  readonly busyTextInAnswer?: boolean;
}

/** From a request to messages. */
export interface ReceivingChannel {
  /**
   * Looks at a webhook before its body is read: one that lacks what every real one has (a signature, the
   * right content type) is refused unread. Undefined lets it pass, to be verified. Called at most once;
   * not every edge calls it.
   */
  glance?(head: WebhookHead): HeadRefusal | undefined;
  verify(request: WebhookRequest): Promise<Verdict> | Verdict;
  parse(request: WebhookRequest): Parsed;
  /**
   * A customer's name, or an address of ours, as messages bear it, for one that a person or a program wrote
   * down: `whatsapp:+15550100` is `+15550100`. Otherwise the customer's first message would not find the
   * conversation that was made for it, and open another. Left out where names are taken as they are.
   */
  canonical?(name: string): string;
  /** Writes the webhook's answer in the provider's own format. */
  answer(summary: ReceiveSummary): WebhookAnswer;
  /** What the provider received since then, oldest first, for `lull catch-up`. */
  listReceived?(sinceAtMs: number, signal: AbortSignal): AsyncIterable<Listed>;
  /**
   * Whether `parse` made this id up for a message that carried none. The provider's list has the same message
   * under another id, so `lull catch-up` refuses to fetch what such messages stand beside.
   */
  isInventedId?(providerId: string): boolean;
}

/** From a reply to what the provider says of it. */
export interface SendingChannel {
  /** Sends one chunk. When `signal` aborts after bytes went out, the outcome is `unknown`. */
  send(outgoing: Outgoing, signal: AbortSignal): Promise<SendOutcome>;
  /** How the provider wants a person to be addressed, if that is more than the conversation's `sender`. */
  addressOf?(sender: string): string;
  reconcile?(query: ReconcileQuery, signal: AbortSignal): Promise<ReconcileOutcome>;
  /** Shows the customer that an answer is being written. Not called yet: it will be while one is made. */
  typing?(to: string, lastProviderId: string, signal: AbortSignal): Promise<void>;
  /** Fetches what needs the channel's credentials. Not called yet: it will be once media reach responders. */
  fetchMedia?(media: Media, signal: AbortSignal): Promise<Response>;
}

/** A way in and out. What it is given of conversations and turns are their ids, to be found again by. */
export interface Channel extends ChannelFacts, ReceivingChannel, SendingChannel {
  open?(context: ChannelContext): void;
  /** Why it must not be served as it is configured; undefined if it may. Asked before the service listens. */
  unfit?(): Promise<string | undefined> | string | undefined;
  /**
   * For `lull doctor`: tries credentials, own addresses and what URL the provider calls (`about: "webhook"`),
   * and says what it found. What is left untried is `skip`. `signal` aborts when there is no more time.
   */
  check?(signal: AbortSignal): Promise<readonly Finding[]>;
}
