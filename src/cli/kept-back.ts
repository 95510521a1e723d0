import type { KeptBack } from "../core/pause.ts";
import { keptBackBy, type Pauses, type Stood } from "../core/standing.ts";
import type { Lull } from "../index.ts";
import type { Conversation } from "../model/conversation.ts";
import type { Engine } from "../ports/engine.ts";
import type { LockRecord } from "../ports/inspector.ts";

/** Records that are looked up at once. */
const WIDTH = 20;

interface Looking {
  readonly lull: Pick<Lull, "projects" | "settings">;
  readonly engine: Engine;
}

export async function pausesNow({ lull, engine }: Looking): Promise<Pauses> {
  const [{ paused }, projects] = await Promise.all([engine.inspector.gauges(), lull.projects()]);
  return {
    all: paused,
    projects: projects.filter((each) => each.paused).map(({ name }) => name),
  };
}

/** The same locks, each with what keeps its messages back. */
export async function stoodNow(
  { lull, engine }: Looking,
  locks: readonly LockRecord[],
  pauses: Pauses,
): Promise<Stood<LockRecord>[]> {
  const stood: Stood<LockRecord>[] = [];
  for (let at = 0; at < locks.length; at += WIDTH) {
    const some = locks.slice(at, at + WIDTH).map(async (lock) => {
      // While all is paused, nothing else matters.
      const conversation = pauses.all ? undefined : await engine.conversations.get(lock.conversationId);
      return { lock, keptBack: keptBackBy(conversation, lock, pauses, lull.settings) };
    });
    stood.push(...(await Promise.all(some)));
  }
  return stood;
}

/** The way back, for a person who wonders why nothing is answered. */
export function wayBack(keptBack: KeptBack, { id }: Pick<Conversation, "id">): string {
  switch (keptBack.by) {
    case "all-paused":
      return ALL_PAUSED;
    case "project-paused":
      return `project ${keptBack.project} is paused: lull projects resume ${keptBack.project}`;
    case "paused":
      return `not tried while it is paused: lull conversations resume ${id}`;
  }
}

export const ALL_PAUSED = "Answering is paused: lull resume";
