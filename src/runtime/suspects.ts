import { mayJoin } from "../core/suspects.ts";
import { tellable } from "../errors.ts";
import type { Taken } from "../model/take.ts";
import type { TurnEnd, TurnSurroundings } from "./turn-run.ts";

/** The turns of one process that may be what killed others. */
export class Suspects {
  readonly #running = new Set<Taken>();

  /** Counts it at once when it may begin: the next one that asks sees it. */
  admit(taken: Taken, attemptsMax: number): boolean {
    if (!taken.isSuspect) return true;
    const running = [...this.#running].map(({ attempts }) => attempts);
    if (!mayJoin(taken.attempts, running, attemptsMax)) return false;
    this.#running.add(taken);
    return true;
  }

  left(taken: Taken): void {
    this.#running.delete(taken);
  }
}

/** Gives a turn back that was not begun: its attempt is not counted, and somebody looks again soon. */
export async function setAside(
  { engine, settings, log }: Pick<TurnSurroundings, "engine" | "settings" | "log">,
  { lease, turnId, attempt, conversation }: Taken,
): Promise<TurnEnd> {
  const about = { conversation: conversation.id, turn: turnId, attempt };
  try {
    const given = await engine.turns.release(lease, { kind: "wait", afterMs: settings.backoffMs });
    if (given.kind === "lost") return { kind: "lost" };
    log("info", "turn.set-aside", about);
    return { kind: "given-back", how: "wait" };
  } catch (error) {
    // The lease lapses, and whoever takes it then counts one attempt too many.
    log("error", "turn.abandoned", { ...about, reason: tellable(error) });
    return { kind: "abandoned" };
  }
}
