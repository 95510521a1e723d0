import { pendingChunks, withChunk } from "../core/draft.ts";
import { sendByAtMs } from "../core/lease.ts";
import { emptyDraft } from "../core/new-draft.ts";
import { effectsOf } from "../core/reply.ts";
import { soundAs } from "../core/shape.ts";
import { DRAFT } from "../core/sound-state.ts";
import { LullError } from "../errors.ts";
import type { Draft } from "../model/draft.ts";
import type { Media } from "../model/message.ts";
import type { AnswerEffects } from "../model/reply.ts";
import type { Channel } from "../ports/channel.ts";
import { replyTexts } from "./reply-texts.ts";
import type { TurnRun } from "./turn-run.ts";

/** What a draft is made of: a responder's answer, or an outbound's texts. */
export interface Said extends AnswerEffects {
  readonly texts: readonly string[];
  readonly media?: readonly Media[];
  readonly author?: string;
  readonly answerStartedAtMs?: number;
  readonly awaitingUntilAtMs?: number;
}

/**
 * The answer as it will be sent: on the channel of the newest message, in chunks that the channel can carry.
 */
export function draftOf(run: TurnRun, said: Said): Draft {
  const { taken, clock, own } = run;
  const { turnId, outbound, messages, conversation } = taken;
  const messageIds = messages.map(({ id }) => id);
  const nowMs = clock.nowMs();
  const { author, awaitingUntilAtMs, answerStartedAtMs = nowMs } = said;
  const empty = emptyDraft(
    { turnId, messageIds, outbound, messages, address: conversation.address },
    { answerStartedAtMs, draftedAtMs: nowMs },
  );
  const textMax = run.channels[empty.channel]?.textMax ?? Number.POSITIVE_INFINITY;
  const draft: Draft = {
    ...empty,
    chunks: pendingChunks(replyTexts(said, textMax, own), said.media),
    ...effectsOf(said),
    ...(author !== undefined && { author }),
    ...(awaitingUntilAtMs !== undefined && { awaitingUntilAtMs }),
  };
  return readable(readdressed(run, draft));
}

/** What is not sent yet goes to where the customer is now: it may have waited while the number passed on. */
export function readdressed({ taken, channels }: TurnRun, draft: Draft): Draft {
  const name = taken.moved?.to;
  if (name === undefined || name === draft.addressee) return draft;
  return { ...draft, to: addressOn(channels[draft.channel], name), addressee: name };
}

/** As the channel writes a customer's name. */
export function addressOn(channel: Channel | undefined, name: string): string {
  return String(channel?.addressOf?.(name) ?? name);
}

/**
 * A draft that the store cannot read back would be quarantined after it was sent, and the reply sent again.
 * Such a draft is not written in the first place.
 */
function readable(draft: Draft): Draft {
  const read = soundAs<Draft>(DRAFT, draft);
  if (read.kind === "sound") return draft;
  throw new LullError(`the reply cannot be kept: ${read.why}`, { code: "INVALID_REPLY", retry: "never" });
}

/** The draft with its first chunk on the way out. Waits for a late answer have no chunk yet. */
export function sendingFirst(run: TurnRun, draft: Draft): Draft {
  return draft.chunks.length === 0 ? draft : sending(run, draft, 0);
}

/** With a chunk `sending`, and the moment at which the request is given up at the latest. */
export function sending(run: TurnRun, draft: Draft, chunk: number): Draft {
  const { clock, settings } = run;
  // The write that carries this renews the lease to this end.
  const nowMs = clock.nowMs();
  const by = sendByAtMs(nowMs, nowMs + settings.leaseMs, settings);
  return withChunk(draft, chunk, { kind: "sending", sendByAtMs: by });
}
