import type { CallerFamily } from "../core/refusals.ts";
import type { Channel, Outgoing, WebhookRequest } from "../ports/channel.ts";
import { ownMessage, RECEIVING, refusals } from "./channel-contract-receiving.ts";
import { SENDING } from "./channel-contract-sending.ts";

/** How a provider meets a send; other requests are answered, unless it hangs or is away. */
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
  /** Resolves when the next send has reached the provider. */
  reached(): Promise<unknown>;
  /** Ids of what it took for the customer, oldest first. */
  taken(): readonly string[];
}

/** A channel that is open, with what it takes to try it. */
export interface ContractSubject {
  readonly channel: Channel;
  /** Realistic requests, properly signed, by name. Each must parse. */
  readonly payloads: Readonly<Record<string, WebhookRequest>>;
  /** Requests that nobody authentic made, by name. */
  readonly forgeries: Readonly<Record<string, WebhookRequest>>;
  /** What the provider posts about a message of our own. */
  readonly ownEcho?: WebhookRequest;
  /** A chunk on its way to a customer. */
  readonly outgoing: Outgoing;
  readonly provider?: ContractProvider;
  close(): Promise<void>;
}

export interface ChannelHarness {
  readonly name: string;
  readonly family: CallerFamily;
  open(): Promise<ContractSubject>;
  /** Why there is no provider to send to, where there is none. */
  readonly withoutProvider?: string;
  /** Why a message of our own cannot come back, where it cannot. */
  readonly withoutEcho?: string;
}

/** One case. It throws when the channel does not keep the contract. `skip` says why it does not apply. */
export interface ContractCase {
  readonly title: string;
  readonly skip?: string;
  run(): Promise<void>;
}

/**
 * What every channel must do, as a list of cases for any test runner:
 * `for (const { title, skip, run } of channelContract(harness)) test.skipIf(skip)(title, run)`.
 */
export function channelContract(harness: ChannelHarness): ContractCase[] {
  const cases = [
    ...RECEIVING.map(([title, run]) => ({ title, run })),
    { title: "a message of our own never comes in", run: ownMessage, ...because(harness.withoutEcho) },
    { title: "every refusal is answered as the error table says", run: refusals },
    ...SENDING.map(([title, run]) => ({ title, run, ...because(harness.withoutProvider) })),
  ];
  return cases.map(({ title, run, ...rest }) => ({
    title: `${harness.name}: ${title}`,
    ...rest,
    async run() {
      const subject = await harness.open();
      try {
        await run(subject, harness.family);
      } finally {
        await subject.close();
      }
    },
  }));
}

/** One case's body, given a fresh subject. */
export type ContractRun = (subject: ContractSubject, family: CallerFamily) => unknown;

function because(reason: string | undefined): { readonly skip?: string } {
  return reason === undefined ? {} : { skip: reason };
}
