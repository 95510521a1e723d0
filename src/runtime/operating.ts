import { REASON_LENGTH_MAX } from "../core/defaults.ts";
import type { Conversation, ConversationChange } from "../model/conversation.ts";
import type { Log } from "../model/log.ts";
import type { Discarded, Discarding, NotRepeated } from "../ports/repairs.ts";
import { object, oneOf, options, text } from "../schema/schema.ts";
import { checkRequest } from "./check-request.ts";
import { passedOn, STILL_PASSED_ON } from "./passed-on.ts";
import type { UseCaseContext } from "./use-case.ts";

export const HAND_OFF_REQUEST = options({
  reason: { ...text("Shown to the person who takes over."), maxLength: REASON_LENGTH_MAX },
});
export const MARK_REQUEST = object({ as: oneOf("sent", "not-sent") });

type Changed = Promise<Conversation | "not-found">;

/** What an operator does, whether over the API, with a command or from a program. */
export interface Operating {
  /** Completes the task: the customer's next message opens a new conversation. */
  close(conversationId: string): Changed;
  /** Stops answering it; messages stay staged. */
  pause(conversationId: string): Changed;
  /** Goes on answering it. What was staged meanwhile is due at once. */
  resume(conversationId: string): Changed;
  /** Hands it to a human, for this reason: nothing is answered until `handBack`. */
  handOff(conversationId: string, reason?: string): Changed;
  /** Gives it back to the responder. */
  handBack(conversationId: string): Changed;
  /** Erases the person behind it, in every conversation. `erasing`: bytes may stay in files for a while. */
  erase(conversationId: string): Promise<"erased" | "erasing" | "not-found">;
  /** Stops or resumes answering everywhere; messages stay staged. */
  pauseAll(paused: boolean): Promise<void>;
  /** Stages a dead letter's messages again, once: a new turn answers them. */
  retryDead(deadLetterId: string): Promise<"retried" | "not-found">;
  /** Gives a dead letter's messages up for good. */
  discardDead(deadLetterId: string): Promise<"discarded" | "not-found">;
  /** Takes an unknown send off its list: you found out what became of it. The log says what. */
  markUnknown(unknownId: string, as: "sent" | "not-sent"): Promise<"marked" | "not-found">;
  /** Sends again, as a turn of its own, what may not have gone out. */
  resendUnknown(unknownId: string): Promise<"staged" | "not-found">;
  /**
   * Drops a row for good that was set aside because it was not ours. One that `lull migrate` could move stays
   * (`movable`), unless you say so.
   */
  discardQuarantined(rowId: string, how?: Discarding): Promise<Discarded>;
}

export function operating({ engine, log }: UseCaseContext & { readonly log: Log }): Operating {
  const change = async (id: string, to: ConversationChange): Changed =>
    (await (await engine()).conversations.change(id, to)) ?? "not-found";
  return {
    close: (id) => change(id, { taskComplete: true }),
    pause: (id) => change(id, { paused: true }),
    resume: (id) => change(id, { paused: false }),
    async handOff(id, reason) {
      checkRequest({ reason }, HAND_OFF_REQUEST);
      return change(id, { handedOff: true, ...(reason !== undefined && { handOffReason: reason }) });
    },
    handBack: (id) => change(id, { handedOff: false }),
    erase: async (id) => (await engine()).conversations.erase(id),
    pauseAll: async (paused) => (await engine()).conversations.pauseAll(paused),
    retryDead: async (id) => repeated(await (await engine()).repairs.retryDead(id)),
    discardDead: async (id) => (await engine()).repairs.discardDead(id),
    async markUnknown(id, as) {
      checkRequest({ as }, MARK_REQUEST);
      const marked = await (await engine()).repairs.markUnknown(id);
      if (marked === "marked") log("info", "unknown.marked", { id, as });
      return marked;
    },
    resendUnknown: async (id) => repeated(await (await engine()).repairs.resendUnknown(id)),
    discardQuarantined: async (id, how) => (await engine()).repairs.discardQuarantined(id, how),
  };
}

/** Refused where it could only reach another person. */
function repeated<T extends string>(outcome: T | NotRepeated): T | "not-found" {
  if (outcome === "passed-on") throw passedOn(STILL_PASSED_ON);
  return outcome as T | "not-found";
}
