import { FEED_LIMITS, FEEDS_PER_MINUTE_MAX } from "../core/defaults.ts";
import type { ConversationKey } from "../model/conversation.ts";
import type { Channel } from "../ports/channel.ts";
import type { Engine } from "../ports/engine.ts";
import type { ConversationDetail } from "../ports/inspector.ts";
import { noteRefusal } from "../runtime/refuse.ts";
import { senderLimit } from "../runtime/sender-limit.ts";
import type { Service } from "../runtime/service.ts";
import { failure, isRead, json, methodNotAllowed, notFound } from "./answers.ts";
import { sameSecret } from "./constant-time.ts";
import type { EdgeAnswer, EdgeRequest } from "./edge-request.ts";
import { feedOf } from "./feed-view.ts";
import { isPossibleId } from "./ids.ts";
import { createUrl } from "./public-url.ts";

/** A visitor id is a capability. A shorter one could be guessed, and guessing would reveal every visitor. */
const SENDER_LENGTH_MIN = 8;
/** No message has a longer sender, so no store is asked for one. */
const SENDER_LENGTH_MAX = 200;

/** What the phone page shows of a conversation: messages, what waits, what happens now. */
export function createFeed(
  service: Service,
): (name: string, channel: Channel, request: EdgeRequest) => Promise<EdgeAnswer> {
  const urlOf = createUrl(service.publicUrl);
  const pace = senderLimit(FEEDS_PER_MINUTE_MAX);
  return async (name, channel, request) => {
    if (!isRead(request.method)) return methodNotAllowed(["GET"]);
    const { headers, query } = request;
    const sender = query.get("sender") ?? "";
    if (sender.length < SENDER_LENGTH_MIN)
      return failure(400, "INVALID_QUERY", "sender is missing or too short");
    if (sender.length > SENDER_LENGTH_MAX) return failure(400, "INVALID_QUERY", "sender is too long");
    // A caller that may write as this sender may read as this sender: the proof is checked as for a message.
    await service.requireFit(name);
    const body = Buffer.from(JSON.stringify({ sender }));
    const verdict = await channel.verify({ method: "POST", url: urlOf(request), headers, body });
    if (verdict.kind === "refused") {
      noteRefusal(service, name, "INVALID_SIGNATURE", verdict.why);
      return failure(401, "INVALID_SIGNATURE", verdict.why);
    }
    // Checked after the proof: no other caller can use up a visitor's share.
    if (!pace.allows([`${name}/${sender}`], service.clock.nowMs())) return tooOften();

    const detail = await find(await service.engine(), query.get("conversation"), { channel, sender });
    // The same answer for "not there" and "not yours", so that no caller learns which conversations exist.
    if (!detail) return notFound("there is no such conversation of this visitor");
    return json(200, feedOf(detail, service.settings, afterOf(query), service.clock.nowMs()));
  };
}

function tooOften(): EdgeAnswer {
  return failure(429, "RATE_LIMITED", "this visitor asks too often", { "retry-after": "1" });
}

/** Whose feed it is. Visitors of two web channels may have the same name; each sees only its own channel. */
interface Visitor {
  readonly channel: Channel;
  readonly sender: string;
}

async function find(
  engine: Engine,
  id: string | null,
  visitor: Visitor,
): Promise<ConversationDetail | undefined> {
  // Without an id: a visitor whose first acknowledgement got lost. Its second try is a duplicate, and
  // duplicates name no conversation.
  const known = id ?? (await engine.inspector.latestId(keyOf(visitor)));
  if (known === undefined || !isPossibleId(known)) return undefined;
  const detail = await engine.inspector.conversation(known, FEED_LIMITS);
  return detail && isOf(detail.conversation, visitor) ? detail : undefined;
}

function keyOf({ channel, sender }: Visitor): ConversationKey {
  return { channelType: "web", address: channel.addresses?.[0] ?? "", sender };
}

function isOf(found: ConversationKey, visitor: Visitor): boolean {
  const { channelType, address, sender } = keyOf(visitor);
  const isHere = found.channelType === channelType && found.address === address;
  return isHere && sameSecret(found.sender, sender);
}

function afterOf(query: URLSearchParams): number {
  const after = Number(query.get("after"));
  return Number.isFinite(after) ? after : 0;
}
