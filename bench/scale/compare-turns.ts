import { spreadOf } from "../quantiles.ts";
import { type Cost, openTurns, type StoreTurns } from "./store-turns.ts";

/** Conversations of a round. */
export type Picks = (round: number) => readonly number[];

/** Where turns are taken: a file, and which of its conversations each round takes. */
export interface Side {
  readonly file: string;
  /** Before anything counts: compilers, and the pages of a tree above its leaves. */
  readonly warmUp: Picks;
  readonly pick: Picks;
}

export interface Pair<T> {
  readonly small: T;
  readonly large: T;
}

const WARM_UP_ROUNDS = 30;

/** The median cost on both sides. The rounds take turns, so that what else the machine does meets both. */
export async function compareTurns({ small, large }: Pair<Side>, rounds: number): Promise<Pair<Cost>> {
  const on = { small: await openTurns(small.file), large: await openTurns(large.file) };
  const both = async (which: "warmUp" | "pick", round: number): Promise<Pair<Cost>> => ({
    small: await on.small.round(small[which](round)),
    large: await on.large.round(large[which](round)),
  });
  try {
    for (let round = 0; round < WARM_UP_ROUNDS; round += 1) await both("warmUp", round);
    const costs: Pair<Cost>[] = [];
    for (let round = 0; round < rounds; round += 1) costs.push(await both("pick", round));
    return {
      small: medianOf(costs.map((each) => each.small)),
      large: medianOf(costs.map((each) => each.large)),
    };
  } finally {
    await closeBoth(on);
  }
}

function medianOf(costs: readonly Cost[]): Cost {
  const median = (of: (cost: Cost) => number) => spreadOf(costs.map(of)).median;
  return { cpuMs: median(({ cpuMs }) => cpuMs), wallMs: median(({ wallMs }) => wallMs) };
}

async function closeBoth({ small, large }: Pair<StoreTurns>): Promise<void> {
  await small.close();
  await large.close();
}

function from(first: number, count: number): number[] {
  return Array.from({ length: count }, (_, at) => first + at);
}

/** The same ones in every round. */
export function the(first: number, atOnce: number): Picks {
  return () => from(first, atOnce);
}

/** Others in every round: none is longer than it was made. */
export function inOrder(first: number, atOnce: number): Picks {
  return (round) => from(first + round * atOnce, atOnce);
}

export function atRandom(conversations: number, atOnce: number): Picks {
  return () => {
    const picked = new Set<number>();
    while (picked.size < atOnce) picked.add(1 + Math.floor(Math.random() * (conversations - 1)));
    return [...picked];
  };
}
