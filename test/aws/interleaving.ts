import type { Engine } from "../../src/ports/engine.ts";
import type { Random } from "../../src/testing/simulator/random.ts";
import { type AwsFixture, look } from "./aws-fixture.ts";
import type { CheckedService } from "./checked-service.ts";
import { RequestScheduler } from "./request-scheduler.ts";

export const WINDOW_MS = 1_000;
const LOOK_MAX = 10;

/** Without a sweep: only triggers wake it. */
export async function lookOnce(service: CheckedService, engine: Engine): Promise<number> {
  await service.fixture.held.releaseDue(service.nowMs);
  const outcomes = await look(engine, LOOK_MAX);
  await service.carryOutAll(engine, outcomes);
  return outcomes.length;
}

/** Two workers whose requests are drawn by lot, one at a time. */
export interface Pair {
  readonly scheduler: RequestScheduler;
  readonly first: Engine;
  readonly second: Engine;
}

export async function openPair(fixture: AwsFixture, random: Random): Promise<Pair> {
  const scheduler = new RequestScheduler(random);
  const open = async (holder: string) => {
    const clients = await fixture.clients();
    scheduler.join(clients);
    return fixture.openWith(clients, holder);
  };
  return { scheduler, first: await open("one"), second: await open("two") };
}

/**
 * A first message whose window is over, and then at once whatever the lot has for this run: more messages, a
 * redelivery, one or two that look, a wake-up out of nowhere, time. Few at a time: what one of them strands,
 * another would find.
 */
export async function interleave(
  service: CheckedService,
  pair: Pair,
  random: Random,
  sender: string,
): Promise<void> {
  const { scheduler, first, second } = pair;
  const { clock } = service.fixture;
  scheduler.reseed(random);
  const message = await service.receive(sender, first);
  await clock.advance(WINDOW_MS);
  const waking = async (engine: Engine) => {
    const id = service.conversations.get(sender);
    if (id !== undefined) await service.wake(engine, id);
  };
  const receiver = (n: number) => (n % 2 === 0 ? first : second);
  const actors: (() => Promise<unknown>)[] = [
    () => lookOnce(service, first),
    ...(random.chance(0.3) ? [() => lookOnce(service, second)] : []),
    ...Array.from(
      { length: random.between(1, 3) },
      (_, n) => () => service.receive(sender, receiver(n), receiver(n + 1)),
    ),
    ...(random.chance(0.3) ? [() => service.deliver(message, second)] : []),
    ...(random.chance(0.2) ? [() => waking(second)] : []),
    ...(random.chance(0.3)
      ? [() => scheduler.schedule(() => clock.advance(random.below(2 * WINDOW_MS)))]
      : []),
  ];
  await Promise.all(actors.map((act) => act()));
}
