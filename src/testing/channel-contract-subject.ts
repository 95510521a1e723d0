import type { Channel, Outgoing, WebhookRequest } from "../ports/channel.ts";
import type { CallerFamily } from "../wire/refusal-status.ts";

/** How a provider meets a send. It answers other requests, unless it hangs or is away. */
export type ProviderMood =
  /** Takes it and says so. */
  | "accepts"
  /** Says that this message will never be taken. */
  | "refuses"
  /** Says that there were too many; come back in two seconds. */
  | "is-busy"
  /** Answers 500: perhaps taken, perhaps not. */
  | "breaks"
  /** Never answers, neither a send nor a question. */
  | "hangs"
  /** Takes it, and the answer is lost on the way. */
  | "loses-its-answer"
  /** Refuses connections. */
  | "is-away";

export interface ContractProvider {
  /** From now on every send is met like this. */
  is(mood: ProviderMood): Promise<void> | void;
  /** Resolves when the next request, a send or a question, has reached the provider. */
  reached(): Promise<unknown>;
  /** Ids of what it took for the customer, oldest first. */
  taken(): readonly string[];
}

/** A channel that is open, with what it takes to try it. */
export interface ContractSubject {
  readonly channel: Channel;
  /** Realistic requests, properly signed, by name. Each must parse. */
  readonly payloads: Readonly<Record<string, WebhookRequest>>;
  /** Requests that the provider did not make, by name. */
  readonly forgeries: Readonly<Record<string, WebhookRequest>>;
  /** What the provider posts about a message of our own. */
  readonly ownEcho?: WebhookRequest;
  /** A chunk on its way to a customer. */
  readonly outgoing: Outgoing;
  readonly provider?: ContractProvider;
  close(): Promise<void>;
}

/** One case's body, given a fresh subject. */
export type ContractRun = (subject: ContractSubject, family: CallerFamily) => unknown;
