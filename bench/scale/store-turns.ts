import { randomUUID } from "node:crypto";
import type { Taken } from "../../src/model/take.ts";
import type { Engine } from "../../src/ports/engine.ts";
import { allSent, arrival, draftFor, replied, sending } from "../../src/testing/engine-contract/builders.ts";
import { type FakeClock, fakeClock } from "../../src/testing/fake-clock.ts";
import { builtLull } from "./built.ts";
import { senderOf } from "./large-file.ts";

/** What a message and its turn took. */
export interface Cost {
  /** Of the store's threads: of all but the one that asks. */
  readonly cpuMs: number;
  readonly wallMs: number;
}

/** The store's part of turns on one file: the built engine with its writer's thread, and no calls. */
export interface StoreTurns {
  /** A message and its turn in each of these conversations, all at once: what one of them took. */
  round(conversations: readonly number[]): Promise<Cost>;
  close(): Promise<void>;
}

const WINDOW_SECONDS = 10;
const HISTORY_MAX = 50;
const TEXT = "Good morning! Are you open tomorrow, and may I bring my dog?";
const REPLY = "Good morning! We are open from nine to six, and dogs are welcome on the terrace.";
const soon = new AbortController().signal;

export async function openTurns(file: string): Promise<StoreTurns> {
  const { createLull, sqlite } = await builtLull();
  const clock = fakeClock();
  // As most responders do: what was said before comes with the turn.
  const respond = Object.assign(async () => REPLY, { readsHistory: true });
  const window = { seconds: WINDOW_SECONDS };
  const lull = createLull({ engine: sqlite({ file }), clock, channels: {}, respond, window });
  const engine = await lull.engine();
  return {
    async round(conversations) {
      const cpuBeforeMs = storeCpuMs();
      const startedAtMs = performance.now();
      await talk(engine, clock, conversations);
      const wallMs = performance.now() - startedAtMs;
      const cpuMs = storeCpuMs() - cpuBeforeMs;
      return { cpuMs: cpuMs / conversations.length, wallMs: wallMs / conversations.length };
    },
    close: () => lull.stop(0),
  };
}

function storeCpuMs(): number {
  const [all, asking] = [process.cpuUsage(), process.threadCpuUsage()];
  return (all.user + all.system - asking.user - asking.system) / 1_000;
}

async function talk(engine: Engine, clock: FakeClock, conversations: readonly number[]): Promise<void> {
  const { turns } = engine;
  await Promise.all(conversations.map((each) => stage(engine, clock, each)));
  await clock.advance(WINDOW_SECONDS * 1_000);
  const taken = await takeAll(engine, conversations.length);
  await Promise.all(taken.map((each) => each.history ?? history(engine, each)));
  const drafts = taken.map((each) => sending(draftFor(each, REPLY), 0, clock.nowMs() + 5_000));
  await Promise.all(taken.map(({ lease }, at) => turns.draft(lease, drafts[at]!)));
  await Promise.all(taken.map((each, at) => turns.commit(each.lease, replied(each, allSent(drafts[at]!)))));
}

/** One that is too long to come with its turn is asked for, as the service does. */
function history({ conversations }: Engine, { conversation }: Taken): Promise<unknown> {
  return conversations.history(conversation.id, HISTORY_MAX);
}

function stage({ receiving }: Engine, clock: FakeClock, conversation: number): Promise<unknown> {
  const providerId = `SM${randomUUID().replaceAll("-", "")}`;
  const sender = senderOf(conversation);
  const arrivedAtMs = clock.nowMs();
  return receiving.stage([{ arrival: arrival({ providerId, sender, text: TEXT, arrivedAtMs }) }]);
}

/** A look ends with as much as one batch may hold, and the next one goes on. */
async function takeAll({ turns }: Engine, due: number): Promise<Taken[]> {
  const taken: Taken[] = [];
  while (taken.length < due) {
    const { outcomes } = await turns.takeDue(due, soon);
    if (outcomes.length === 0) throw new Error(`${taken.length} of ${due} turns were due`);
    taken.push(...outcomes.flatMap((outcome) => (outcome.kind === "turn" ? [outcome.taken] : [])));
  }
  return taken;
}
