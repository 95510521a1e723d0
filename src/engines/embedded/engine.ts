import type { Engine } from "../../ports/engine.ts";
import type { RunStep } from "./requests.ts";

/** What differs between embedded engines besides where a step runs. */
export interface Surroundings {
  /** Holders whose process is known dead. Empty where nobody can know. */
  readonly deadAmong: (holders: readonly string[]) => readonly string[];
  readonly ping: () => Promise<void>;
  readonly checks?: Engine["checks"];
  readonly examine?: Engine["examine"];
  readonly close: () => Promise<void>;
}

/** The engine's ports over "run this step in a transaction". */
export function embeddedEngine(run: RunStep, surroundings: Surroundings): Engine {
  let cursor = "";
  return {
    receiving: {
      stage: (requests) => run("stage", requests),
      recordDelivery: (channel, status) => run("recordDelivery", { channel, status }),
    },
    turns: {
      takeDue: (max) => run("takeDue", max),
      take: (conversationId) => run("take", conversationId),
      renew: (lease) => run("renew", lease),
      hasNewer: (lease) => run("hasNewer", lease),
      draft: (lease, draft) => run("draft", { lease, draft }),
      mark: (lease, draft) => run("mark", { lease, draft }),
      commit: (lease, commit) => run("commit", { lease, commit }),
      release: (lease, how) => run("release", { lease, how }),
    },
    sweeping: {
      async sweep() {
        // Before anything is read: it is this step that opens a file again which was lost, and reads are refused until then.
        const { cursor: next, ...swept } = await run("sweep", cursor);
        cursor = next;
        let freed = 0;
        for (const holder of surroundings.deadAmong(await run("holders", undefined as never))) {
          freed += await run("freeLeases", holder);
        }
        return { ...swept, freed, retriggered: 0 };
      },
      freeLeases: (workerId) => run("freeLeases", workerId),
    },
    conversations: {
      create: (conversation) => run("create", conversation),
      get: (id) => run("get", id),
      change: (id, change) => run("change", { id, change }),
      async erase(id) {
        const result = await run("erase", id);
        if (result === "not-found") return result;
        return (await run("tracesLeft", undefined as never)) === undefined ? "erased" : "erasing";
      },
      history: (id, messagesMax, bytesMax) =>
        run("history", { id, messagesMax, ...(bytesMax !== undefined && { bytesMax }) }),
      say: (outbound) => run("say", outbound),
      answer: (answer) => run("answer", answer),
      pauseAll: (paused) => run("pauseAll", paused),
    },
    repairs: {
      retryDead: (id) => run("retryDead", id),
      discardDead: (id) => run("discardDead", id),
      markUnknown: (id, as) => run("markUnknown", { id, as }),
      resendUnknown: (id) => run("resendUnknown", id),
      discardQuarantined: (id) => run("discardQuarantined", id),
    },
    inspector: {
      conversations: (filter) => run("listConversations", filter),
      conversation: (id, limits) => run("showConversation", { id, ...(limits && { limits }) }),
      latestId: (key) => run("latestId", key),
      names: async (conversation) => new Map(await run("namesOf", conversation)),
      locks: (page) => run("listLocks", page),
      dead: (page) => run("listDead", page),
      unknown: (page) => run("listUnknown", page),
      refusals: (page) => run("listRefusals", page),
      quarantined: (page) => run("listQuarantined", page),
      counts: () => run("counts", undefined as never),
      gauges: () => run("gauges", undefined as never),
    },
    ping: surroundings.ping,
    ...(surroundings.checks && { checks: surroundings.checks }),
    ...(surroundings.examine && { examine: surroundings.examine }),
    close: surroundings.close,
  };
}
