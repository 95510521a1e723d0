import type { Engine, FreedLeases } from "../../ports/engine.ts";
import type { StepClient } from "./requests.ts";
import type { ErasedInput } from "./steps/erase.ts";

/** What differs between embedded engines besides where a step runs. */
export interface EngineParts {
  /** Holders whose process is known dead. Empty if the engine cannot know. */
  readonly deadAmong: (holders: readonly string[]) => readonly string[];
  readonly ping: () => Promise<void>;
  readonly checks?: Engine["checks"];
  readonly examine?: Engine["examine"];
  readonly close: () => Promise<void>;
}

/**
 * Rounds of one sweep for each look at who holds leases. A look goes through all that waits: with every round
 * it would cost a store with much of it more than all else.
 */
const ROUNDS_PER_LOOK = 100;

/** The engine's ports over its steps. Each that writes runs in one transaction. */
export function embeddedEngine(steps: StepClient, parts: EngineParts): Engine {
  let cursor = "";
  let isFirst = true;
  let roundsToLook = 0;
  return {
    receiving: {
      stage: steps.stage,
      recordDelivery: (channel, status) => steps.recordDelivery({ channel, status }),
      knownSinceMs: () => steps.knownSince(),
    },
    turns: {
      takeDue: steps.takeDue,
      take: steps.take,
      renew: steps.renew,
      hasNewer: steps.hasNewer,
      draft: (lease, draft) => steps.draft({ lease, draft }),
      writeChunks: (lease, draft) => steps.writeChunks({ lease, draft }),
      commit: (lease, commit) => steps.commit({ lease, commit }),
      release: (lease, how) => steps.release({ lease, how }),
    },
    sweeping: {
      async sweep() {
        const looks = roundsToLook === 0;
        const roundsLeft = (looks ? ROUNDS_PER_LOOK : roundsToLook) - 1;
        // The next sweep begins with a look, however few rounds this one had, and also if this one fails.
        roundsToLook = 0;
        // Before anything is read: this step opens a lost file again, and reads are refused until then.
        const { cursor: next, ...swept } = await steps.sweep({ cursor, isFirst });
        cursor = next;
        isFirst = false;
        const freedFrom = looks ? await freeDead(steps, parts) : [];
        const freed = freedFrom.reduce((sum, { leases }) => sum + leases, 0);
        if (swept.hasMore) roundsToLook = roundsLeft;
        return { ...swept, freed, freedFrom, retriggered: 0 };
      },
      freeLeases: async (holder) => (await steps.freeLeases(holder)).left,
    },
    conversations: conversationsOver(steps),
    repairs: {
      deadLetter: steps.showDead,
      retryDead: steps.retryDead,
      discardDead: steps.discardDead,
      unknownSend: steps.showUnknown,
      markUnknown: steps.markUnknown,
      resendUnknown: steps.resendUnknown,
      discardQuarantined: steps.discardQuarantined,
    },
    inspector: inspectorOver(steps),
    people: {
      find: steps.findPerson,
      kept: (of, page) => steps.keptOf({ of, page }),
      erase: (of) => erased(steps, { of }),
    },
    secretFor: steps.secretFor,
    ping: parts.ping,
    ...(parts.checks && { checks: parts.checks }),
    ...(parts.examine && { examine: parts.examine }),
    close: parts.close,
  };
}

/** Leases of processes that are known dead. Those that wait for a worker since they were freed are old. */
async function freeDead(steps: StepClient, { deadAmong }: EngineParts): Promise<FreedLeases[]> {
  const freed: FreedLeases[] = [];
  for (const holder of deadAmong(await steps.holders())) {
    const { takenAtMs } = await steps.freeLeases(holder);
    if (takenAtMs.length > 0)
      freed.push({ holder, leases: takenAtMs.length, sinceAtMs: Math.min(...takenAtMs) });
  }
  return freed;
}

function conversationsOver(steps: StepClient): Engine["conversations"] {
  return {
    create: steps.create,
    get: steps.get,
    change: (id, change) => steps.change({ id, change }),
    changeAttribute: (id, change) => steps.changeAttribute({ id, change }),
    erase: (id) => erased(steps, { id }),
    history: (id, messagesMax, bytesMax) =>
      steps.history({ id, messagesMax, ...(bytesMax !== undefined && { bytesMax }) }),
    say: steps.say,
    answer: steps.answer,
    pauseAll: steps.pauseAll,
    changeProject: (project, change) => steps.changeProject({ project, change }),
  };
}

/** One bounded step after the other. A process that dies in between is asked again, and goes on. */
async function erased(steps: StepClient, input: ErasedInput): Promise<"erased" | "erasing" | "not-found"> {
  let result = await steps.erase(input);
  while (result === "more") result = await steps.erase(input);
  if (result === "not-found") return result;
  return (await steps.tracesLeft()) === undefined ? "erased" : "erasing";
}

function inspectorOver(steps: StepClient): Engine["inspector"] {
  return {
    conversations: steps.listConversations,
    conversation: (id, limits) => steps.showConversation({ id, ...(limits && { limits }) }),
    latestId: steps.latestId,
    names: async (conversation) => new Map(await steps.nameRecords(conversation)),
    locks: steps.listLocks,
    dead: steps.listDead,
    unknown: steps.listUnknown,
    refusals: steps.listRefusals,
    quarantined: steps.listQuarantined,
    projectChanges: async () => new Map(await steps.projectChanges()),
    counts: () => steps.counts(),
    gauges: () => steps.gauges(),
  };
}
