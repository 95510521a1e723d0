import { mayJoin } from "../core/suspects.ts";
import { tellable } from "../errors.ts";
import type { Taken } from "../model/take.ts";
import { aboutTurn } from "./turn-end.ts";
import type { TurnContext, TurnEnd } from "./turn-run.ts";

/** The turns of one process that may be what killed others. */
export class Suspects {
  readonly #running = new Set<Taken>();

  /** Counts the turn at once when it may begin, so that the next caller sees it. */
  admit(taken: Taken, attemptsMax: number): boolean {
    if (!taken.isSuspect) return true;
    const running = [...this.#running].map(({ counted }) => counted);
    if (!mayJoin(taken.counted, running, attemptsMax)) return false;
    this.#running.add(taken);
    return true;
  }

  left(taken: Taken): void {
    this.#running.delete(taken);
  }
}

/** Releases a turn that was not begun: its attempt is not counted, and a worker looks again soon. */
export async function setAside(
  { engine, settings, log }: Pick<TurnContext, "engine" | "settings" | "log">,
  taken: Taken,
): Promise<TurnEnd> {
  try {
    const given = await engine.turns.release(taken.lease, { kind: "wait", afterMs: settings.backoffMs });
    if (given.kind === "lost") return { kind: "lost" };
    log("info", "turn.set-aside", aboutTurn(taken));
    return { kind: "released", how: "wait" };
  } catch (error) {
    // The lease lapses, and its next holder counts one attempt too many.
    log("error", "turn.abandoned", { ...aboutTurn(taken), reason: tellable(error) });
    return { kind: "abandoned" };
  }
}
