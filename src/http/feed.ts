import { isOfVisitor, strangeReader, visitorKey } from "../channels/web/visitor.ts";
import { FEED_LIMITS } from "../core/defaults.ts";
import type { ConversationKey } from "../model/conversation.ts";
import type { Channel } from "../ports/channel.ts";
import type { Engine } from "../ports/engine.ts";
import type { ConversationDetail } from "../ports/inspector.ts";
import { noteRefusal } from "../runtime/refuse.ts";
import { senderLimit } from "../runtime/sender-limit.ts";
import type { Service } from "../runtime/service.ts";
import { failure, isRead, json, methodNotAllowed, notFound } from "./answers.ts";
import { FEEDS_PER_MINUTE_MAX } from "./defaults.ts";
import type { EdgeAnswer, EdgeRequest } from "./edge-request.ts";
import { feedOf } from "./feed-view.ts";
import { isPossibleId } from "./ids.ts";
import { createUrl } from "./public-url.ts";

/** What is shown to a caller who has proven who they are: asked of the store. */
type Show = () => Promise<EdgeAnswer>;

/**
 * What the phone page shows of a conversation: messages, what waits, what happens now. The proof comes first,
 * and takes no place of those who read.
 */
export function createFeed(
  service: Service,
  showsReasons: boolean,
): (name: string, channel: Channel, request: EdgeRequest) => Promise<EdgeAnswer | Show> {
  const urlOf = createUrl(service.publicUrl);
  const pace = senderLimit(FEEDS_PER_MINUTE_MAX);
  return async (name, channel, request) => {
    if (!isRead(request.method)) return methodNotAllowed(["GET"]);
    const { headers, query } = request;
    const sender = query.get("sender") ?? "";
    const strange = strangeReader(sender);
    if (strange !== undefined) return failure(400, "INVALID_QUERY", strange);
    const after = Number(query.get("after"));
    if (!Number.isFinite(after)) return failure(400, "INVALID_QUERY", "after must be a number");
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

    return async () => {
      const visitor = visitorKey(channel, sender);
      const detail = await find(await service.engine(), query.get("conversation"), visitor);
      // The same answer for "not there" and "not yours", so that no caller learns which conversations exist.
      if (!detail) return notFound("there is no such conversation of this visitor");
      const reader = { after, showsReasons };
      return json(200, feedOf(detail, service.settings, reader, service.clock.nowMs()));
    };
  };
}

function tooOften(): EdgeAnswer {
  return failure(429, "RATE_LIMITED", "this visitor asks too often", { "retry-after": "1" });
}

async function find(
  engine: Engine,
  id: string | null,
  visitor: ConversationKey,
): Promise<ConversationDetail | undefined> {
  // Without an id: a visitor whose first acknowledgement got lost. Its second try is a duplicate, and
  // duplicates name no conversation.
  const known = id ?? (await engine.inspector.latestId(visitor));
  if (known === undefined || !isPossibleId(known)) return undefined;
  const detail = await engine.inspector.conversation(known, FEED_LIMITS);
  return detail && isOfVisitor(detail.conversation, visitor) ? detail : undefined;
}
