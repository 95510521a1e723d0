import { isPassedOn } from "../core/addressee.ts";
import { withChunk } from "../core/draft.ts";
import { channelType } from "../core/identity.ts";
import { channelOf } from "../core/new-draft.ts";
import { isAnsweredIn } from "../core/notices.ts";
import { decideAnswer } from "../core/rules.ts";
import type { Draft } from "../model/draft.ts";
import type { TurnRun } from "./turn-run.ts";

/** It is staged before or beside the answer, and goes before all but a draft: few turns lie in between. */
const TURNS_BETWEEN_MAX = 20;

/** Whether the turn says only that an answer is late or will not come. */
export function isNotice({ taken }: Pick<TurnRun, "taken">): boolean {
  return taken.outbound?.about !== undefined;
}

/**
 * Why it is not to be said, if so. Between its staging and now the answer may have gone out: another worker
 * had the turn, or a late answer came. Under the lease none can come in between any more.
 */
export async function whyUnsaid({ engine, taken, settings }: TurnRun): Promise<string | undefined> {
  const { conversation, project, outbound, isPaused } = taken;
  const { kind } = decideAnswer(conversation, project, channelType(settings, channelOf(taken)));
  if (kind !== "answer") return kind === "hand-off" ? "a human has the conversation" : "a rule refuses it";
  if (isPaused) return "answering is paused";
  if (isPassedOn(taken)) return "the customer's number is another person's";
  const history = await engine.conversations.history(conversation.id, 2 * TURNS_BETWEEN_MAX);
  return isAnsweredIn(history, outbound?.about ?? "") ? "the answer is there" : undefined;
}

/** Said twice is worse than not at all, and no operator is to look what became of it: it counts as sent. */
export function assumed({ clock }: TurnRun, draft: Draft, chunk: number): Draft {
  return withChunk(draft, chunk, { kind: "sent", providerId: "assumed", atMs: clock.nowMs() });
}
