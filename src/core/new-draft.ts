import type { Draft } from "../model/draft.ts";
import type { StagedMessage } from "../model/message.ts";
import type { StagedOutbound } from "../model/outbound.ts";
import { nameAddressed } from "./addressee.ts";
import type { Work } from "./state.ts";

/** What a turn carries: a draft that it continues, something to say, or messages to answer. */
interface Carried {
  readonly draft?: Pick<Draft, "channel"> | undefined;
  readonly outbound?: StagedOutbound | undefined;
  readonly messages: readonly StagedMessage[];
}

/** The channel through which a turn speaks: an answer goes where the newest message came from. */
export function channelOf({ draft, outbound, messages }: Carried): string {
  return draft?.channel ?? outbound?.channel ?? messages.at(-1)?.channel ?? "";
}

/** A draft without words: to whom the turn speaks, and how. An outbound goes out from `address`. */
export function emptyDraft(
  carried: Carried & Pick<Draft, "turnId" | "messageIds"> & { readonly address?: string },
  times: Pick<Draft, "answerStartedAtMs" | "draftedAtMs">,
): Draft {
  const { turnId, messageIds, outbound, messages, address = "" } = carried;
  const newest = messages.at(-1);
  const addressee = nameAddressed({ outbound, messages });
  return {
    turnId,
    messageIds,
    channel: channelOf({ outbound, messages }),
    to: outbound?.to ?? newest?.replyTo ?? "",
    ...(addressee !== undefined && { addressee }),
    from: newest?.address ?? address,
    chunks: [],
    ...times,
  };
}

/** The draft that a turn is about to write, for an answer that came before it. */
export function draftBefore(work: Work, newest: StagedMessage, nowMs: number): Draft {
  const { turnId, batchIds: messageIds, takenAtMs: answerStartedAtMs } = work;
  return emptyDraft({ turnId, messageIds, messages: [newest] }, { answerStartedAtMs, draftedAtMs: nowMs });
}
