import type { LetterContent } from "../model/dead-letter.ts";
import type { Draft } from "../model/draft.ts";
import type { StagedRow } from "../model/staged.ts";
import type { DeadLettered, TakeOutcome, TakeResult } from "../model/take.ts";
import { replySent } from "./draft.ts";
import { messagesOf } from "./staged.ts";
import { type ConversationState, type Work, withoutWork, workOf } from "./state.ts";

export const NO_LATE_ANSWER = "no answer came in time";
/** The reason of a turn that was out of attempts before it could say more. */
export const DIED = "the worker died in every attempt";
export const NOT_FOUND = "CONVERSATION_NOT_FOUND";
const OWN_REASONS: ReadonlySet<string> = new Set([NO_LATE_ANSWER, DIED, NOT_FOUND]);

/** What the log says of a dead letter's reason, which may be an error that quotes a customer. */
export function toldOfDeadLetter(reason: string): string {
  return OWN_REASONS.has(reason) ? reason : "its last try failed: the dead letter says why";
}

/** What a look does with messages that get no turn, or no further try. */
export interface DeadLetterDecision extends LetterContent {
  readonly kind: "dead-letter";
  readonly state: ConversationState;
}

/** A turn that is given up: exactly its messages leave, and newer ones stay. */
export function deadLetter(
  state: ConversationState,
  work: Work,
  reason = work.lastError ?? DIED,
): DeadLetterDecision {
  return {
    kind: "dead-letter",
    messageIds: deadLetteredWith(work, state.draft),
    turnId: work.turnId,
    attempts: work.attempts,
    reason,
    state: withoutWork({ ...state, notBeforeAtMs: undefined }, work.turnId),
  };
}

/** The draft's conversation is gone: its record is removed or unreadable. The letter says what was sent. */
export function deadLetterLost(state: ConversationState): DeadLetterDecision {
  const { turnId, messageIds } = state.draft!;
  const work = workOf(state, turnId);
  if (work) return deadLetter(state, { ...work, messageIds: work.batchIds }, NOT_FOUND);
  return { kind: "dead-letter", messageIds, turnId, attempts: 0, reason: NOT_FOUND, state };
}

/** The counted messages, and those answered with them: these must not be answered again. */
export function deadLetteredWith(work: Work, draft: Draft | undefined): readonly string[] {
  const isAnswered = draft?.turnId === work.turnId && replySent(draft) !== "none";
  return isAnswered ? [...new Set([...work.messageIds, ...draft.messageIds])] : work.messageIds;
}

/** The last of several outcomes, with the dead letters before it, so that the caller can report them. */
export function takeResult(outcomes: readonly TakeOutcome[]): TakeResult {
  const last = outcomes.at(-1) ?? { kind: "nothing" };
  const deadLettered = outcomes
    .slice(0, -1)
    .filter((outcome): outcome is DeadLettered => outcome.kind === "dead-lettered");
  return deadLettered.length === 0 ? last : { ...last, deadLettered };
}

/** What a look tells of a dead letter that it made. `found` is what it looked at. */
export function deadLetteredAs(
  deadLetterId: string,
  conversationId: string,
  { turnId, attempts, reason, messageIds }: LetterContent,
  found: { readonly draft?: Draft | undefined; readonly rows: readonly StagedRow[] },
): DeadLettered {
  const given = found.rows.filter(({ id }) => messageIds.includes(id));
  const isReplied = found.draft !== undefined && found.draft.awaitingUntilAtMs === undefined;
  const newest = isReplied ? undefined : messagesOf(given).at(-1)?.message;
  const [firstMessageId = ""] = messageIds;
  return {
    kind: "dead-lettered",
    deadLetterId,
    conversationId,
    ...(turnId !== undefined && { turnId }),
    attempts,
    reason,
    ...(newest && { unanswered: { newest, firstMessageId } }),
  };
}
