import type { ChunkReference, DeliveryStatus, InboundMessage, Media } from "../model/message.ts";
import type { RefusalCode } from "../model/refusal.ts";
import type { Secrets } from "./secrets.ts";

/** A webhook request as it came in. The body is raw: signatures are made over bytes. */
export interface WebhookRequest {
  readonly method: string;
  /** The URL that the provider called, with path and query, built from the public URL and never from the Host header. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: Buffer;
}

/** A webhook whose body nobody has read yet. */
export type WebhookHead = Omit<WebhookRequest, "body">;

/** Why a webhook is not worth reading. */
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

/** What a webhook turned out to hold. "Not for us" and "broken" are values: a provider that sends them is not in error. */
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

/** What the webhook's answer has to tell: all well, or why not. */
export interface ReceiveSummary {
  /** The first refusal in the payload, if any. */
  readonly code?: RefusalCode;
  /** For people: what is missing, what is wrong. Never a text or an address. */
  readonly detail?: string;
  /** The busy text, where this answer is the way to tell it. */
  readonly busyText?: string;
  readonly retryAfterSeconds?: number;
  /** Where the message was staged, for callers that show a conversation (the phone page). */
  readonly conversationId?: string;
}

/** One chunk of a reply on its way out. */
export interface Outgoing {
  /** The customer's address as the provider wants it. */
  readonly to: string;
  /** Our address that the customer wrote to. */
  readonly from: string;
  readonly text: string;
  readonly media?: readonly Media[];
  readonly reference: ChunkReference;
  readonly conversationId: string;
}

/** Every `why` is for people and for the log: never a text or an address. */
export type SendOutcome =
  | { readonly kind: "sent"; readonly providerId: string }
  /** Certainly not sent. `retry: "later"` may be tried again, `"never"` may not. */
  | {
      readonly kind: "not-sent";
      readonly retry: "later" | "never";
      readonly retryAfterMs?: number;
      /** Our credentials were refused, or cannot be read: an operator is told at once, and `retry: "later"` waits for other ones. */
      readonly credentials?: true;
      readonly why: string;
    }
  /** It may or may not have gone out, and nobody told. */
  | { readonly kind: "unknown"; readonly why: string };

export interface ReconcileQuery extends Outgoing {
  /** Nothing sent before this moment can be the chunk in question. It is on our clock: the provider's may show another time. */
  readonly notBeforeAtMs: number;
  /** Provider ids already recorded for other chunks: the same text may have been sent before. */
  readonly excludeProviderIds: readonly string[];
}

export type ReconcileOutcome =
  | { readonly kind: "sent"; readonly providerId: string }
  | { readonly kind: "not-sent" }
  /** With `retry: "never"` asking again cannot help; otherwise it is asked again, as long as an outage is waited out. */
  | { readonly kind: "cannot-tell"; readonly why: string; readonly retry?: "never" };

/** What the runtime hands to a channel once, before the first request. */
export interface ChannelContext {
  readonly name: string;
  readonly secrets: Secrets;
  /** Base of the URL that the world calls, when one is configured. */
  readonly publicUrl?: string;
  /** Where the provider posts delivery statuses, when a public URL is configured. */
  readonly statusUrl?: string;
  readonly nowMs: () => number;
}

/** What the runtime has to know of a channel. */
export interface ChannelFacts {
  /** What rules and conversation keys speak of: `wati` is of type `whatsapp`. */
  readonly type: string;
  /** Longest text that one message may carry; longer replies are sent in chunks. */
  readonly textMax: number;
  /** The largest body that its provider sends. Larger ones are not read. Default: `limits.bodyBytesMax`. */
  readonly bodyBytesMax?: number;
  /** Characters of a text that it takes in. A longer one is refused; where left out, only the body has a limit. */
  readonly textLengthMax?: number;
  /** Set where people call by themselves, from a page: then each of them has a pace, also where none is configured for all. */
  readonly hasVisitors?: boolean;
  /** Set where nobody has to prove who they are. */
  readonly isUnsigned?: boolean;
  /** Set where only this machine may write, as told by the name that it is called by: whoever else reaches the port can say that name. */
  readonly isForThisMachine?: boolean;
  /** How long after its end a request may still be inside the provider, and out of sight of `reconcile`. Default: `settleSeconds`. */
  readonly settleMs?: number;
  /**
   * Our addresses that are its own, once it is open: it brings messages for no others. Where several channels are of one type each has to
   * name them, no two the same: their people would mix. The only channel of its type may name none, and then brings messages for all.
   */
  readonly addresses?: readonly string[];
  /** How a person says which they are, for the error that asks for it: an option, a variable. */
  readonly addressesSetBy?: string;
  /** True where `answer` can carry the busy text itself (TwiML); otherwise it is sent as a turn of its own. */
  readonly busyTextInAnswer?: boolean;
}

/** From a request to messages. */
export interface ReceivingChannel {
  /**
   * Looks at what came before the body: a webhook that lacks what every real one has (a signature, the right content type) is refused
   * unread. Undefined lets it pass, to be verified. Asked where there is a body, and once only; not every edge asks.
   */
  glance?(head: WebhookHead): HeadRefusal | undefined;
  verify(request: WebhookRequest): Promise<Verdict> | Verdict;
  parse(request: WebhookRequest): Parsed;
  /** Words the webhook's answer in the provider's own way. */
  answer(summary: ReceiveSummary): WebhookAnswer;
  /** What the provider received since then, oldest first, for `lull catch-up`. */
  listReceived?(sinceAtMs: number, signal: AbortSignal): AsyncIterable<InboundMessage>;
}

/** From a reply to what the provider says of it. */
export interface SendingChannel {
  /** Sends one chunk. When `signal` aborts after bytes went out, the outcome is `unknown`. */
  send(outgoing: Outgoing, signal: AbortSignal): Promise<SendOutcome>;
  /** How the provider wants a person to be addressed, where that is more than the conversation's `sender`. */
  addressOf?(sender: string): string;
  reconcile?(query: ReconcileQuery, signal: AbortSignal): Promise<ReconcileOutcome>;
  typing?(to: string, lastProviderId: string, signal: AbortSignal): Promise<void>;
  fetchMedia?(media: Media, signal: AbortSignal): Promise<Response>;
}

/** A way in and out: four steps, each of which knows nothing of conversations, windows or turns. */
export interface Channel extends ChannelFacts, ReceivingChannel, SendingChannel {
  open?(context: ChannelContext): void;
  /** Why it must not be served as it is configured; undefined when it may. Asked before anybody listens. */
  unfit?(): Promise<string | undefined> | string | undefined;
  /** Problems that `lull doctor` should tell, in plain words. Empty when all is well. */
  check?(signal: AbortSignal): Promise<readonly string[]>;
}
