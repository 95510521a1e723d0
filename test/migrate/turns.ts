import { settingsWith } from "../../src/core/defaults.ts";
import type { GivenSettings } from "../../src/model/settings.ts";
import type { TakeResult } from "../../src/model/take.ts";
import type { Clock } from "../../src/ports/clock.ts";
import type { Engine, EngineProvider } from "../../src/ports/engine.ts";
import { systemClock } from "../../src/runtime/system-clock.ts";
import { silent } from "../../src/testing/engine-contract/builders.ts";

/** A turn as it was committed. */
export interface CommittedTurn {
  readonly conversationId: string;
  readonly ids: readonly string[];
  readonly texts: readonly string[];
  readonly media: readonly string[];
}

const AT_ONCE: Partial<GivenSettings> = { window: { kind: "fixed", lengthMs: 0 } };

/** An hour later: whatever window the command armed, it is over. */
const LATER: Clock = { ...systemClock, nowMs: () => systemClock.nowMs() + 3_600_000 };

export function openEngine(provider: EngineProvider): Promise<Engine> {
  return provider.open({
    clock: LATER,
    settings: settingsWith({ ...provider.defaults, ...AT_ONCE }),
    holder: "test",
    log: () => {},
    onArmed: () => {},
  });
}

/** Takes and commits turns until none is left. */
export async function takeAllTurns(engine: Engine): Promise<CommittedTurn[]> {
  const turns: CommittedTurn[] = [];
  for (;;) {
    const { outcomes } = await engine.turns.takeDue(100, new AbortController().signal);
    if (outcomes.length === 0) return turns;
    await Promise.all(
      outcomes.map(async (outcome) => {
        // What a batch's limit left is taken under the same lease.
        for (let next: TakeResult | undefined = outcome; next?.kind === "turn"; ) {
          const { taken } = next;
          const committed = await engine.turns.commit(taken.lease, silent(taken));
          if (committed.kind !== "committed") throw new Error(`the turn was ${committed.kind}`);
          next = committed.next;
          turns.push({
            conversationId: taken.conversation.id,
            ids: taken.messages.map(({ id }) => id),
            texts: taken.messages.map(({ text }) => text),
            media: taken.messages.flatMap(({ media }) => media.map(({ url }) => url)),
          });
        }
      }),
    );
  }
}
