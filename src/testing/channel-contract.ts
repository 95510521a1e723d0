import type { CallerFamily } from "../wire/refusal-status.ts";
import { ownMessage, RECEIVING, refusals } from "./channel-contract-receiving.ts";
import { ASKING, SENDING } from "./channel-contract-sending.ts";
import type { ContractSubject } from "./channel-contract-subject.ts";

export interface ChannelHarness {
  readonly name: string;
  readonly family: CallerFamily;
  open(): Promise<ContractSubject>;
  /** Why there is no provider to send to, where there is none. */
  readonly withoutProvider?: string;
  /** Why its provider cannot be asked what was sent, where it cannot: the channel has no `reconcile`. */
  readonly withoutReconcile?: string;
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
    ...ASKING.map(([title, run]) => ({
      title,
      run,
      ...because(harness.withoutProvider ?? harness.withoutReconcile),
    })),
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

function because(reason: string | undefined): { readonly skip?: string } {
  return reason === undefined ? {} : { skip: reason };
}
