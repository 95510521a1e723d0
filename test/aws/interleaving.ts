import type { Engine } from "../../src/ports/engine.ts";
import type { Random } from "../../src/testing/simulator/random.ts";
import { Lottery } from "./lottery.ts";
import type { Story } from "./story.ts";
import { type AwsWorld, look } from "./world.ts";

export const WINDOW_MS = 1_000;
const LOOK_MAX = 10;

/** Without a sweep: only triggers wake it. */
export async function lookOnce(story: Story, engine: Engine): Promise<number> {
  await story.world.held.releaseDue(story.nowMs);
  const outcomes = await look(engine, LOOK_MAX);
  await story.carryOutAll(engine, outcomes);
  return outcomes.length;
}

/** Two workers whose requests are drawn by lot, one at a time. */
export interface Pair {
  readonly lottery: Lottery;
  readonly first: Engine;
  readonly second: Engine;
}

export async function openPair(world: AwsWorld, random: Random): Promise<Pair> {
  const lottery = new Lottery(random);
  const open = async (workerId: string) => {
    const clients = await world.clients();
    lottery.join(clients);
    return world.openWith(clients, workerId);
  };
  return { lottery, first: await open("one"), second: await open("two") };
}

/**
 * A first message whose window is over, and then at once whatever the lot has for this run: more messages, a
 * redelivery, one or two that look, a wake-up out of nowhere, time. Few at a time: what one of them strands,
 * another would find.
 */
export async function interleave(story: Story, pair: Pair, random: Random, sender: string): Promise<void> {
  const { lottery, first, second } = pair;
  const { clock } = story.world;
  lottery.reseed(random);
  const message = await story.receive(sender, first);
  await clock.advance(WINDOW_MS);
  const waking = async (engine: Engine) => {
    const id = story.conversations.get(sender);
    if (id !== undefined) await story.carryOutAll(engine, [await engine.turns.take(id)]);
  };
  const receiver = (n: number) => (n % 2 === 0 ? first : second);
  const actors: (() => Promise<unknown>)[] = [
    () => lookOnce(story, first),
    ...(random.chance(0.3) ? [() => lookOnce(story, second)] : []),
    ...Array.from(
      { length: random.between(1, 3) },
      (_, n) => () => story.receive(sender, receiver(n), receiver(n + 1)),
    ),
    ...(random.chance(0.3) ? [() => second.receiving.stage([{ arrival: message }])] : []),
    ...(random.chance(0.2) ? [() => waking(second)] : []),
    ...(random.chance(0.3) ? [() => lottery.draw(() => clock.advance(random.below(2 * WINDOW_MS)))] : []),
  ];
  await Promise.all(actors.map((act) => act()));
}
