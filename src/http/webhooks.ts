import type { RefusalCode } from "../model/refusal.ts";
import type { Channel } from "../ports/channel.ts";
import { noteRefusal } from "../runtime/receive.ts";
import type { Service } from "../runtime/service.ts";
import { isRead, methodNotAllowed, notFound } from "./answers.ts";
import type { Body, EdgeAnswer, EdgeRequest } from "./edge-request.ts";
import { createFeed } from "./feed.ts";
import { createUrl } from "./public-url.ts";
import { bytesMaxOf, RETRY_AFTER_SECONDS, type RequestLimits, unread } from "./request-limits.ts";

export const WEBHOOKS = "/webhooks/";
/** What may follow the channel's name, and the methods it takes. GET is how some providers ask for a proof of ownership. */
const STEPS: Readonly<Record<string, readonly string[]>> = { "": ["POST", "GET"], status: ["POST"] };
const EMPTY = Buffer.alloc(0);

const NO_CHANNEL = "it is for a channel that is not configured: is its URL right?";

/** `POST /webhooks/<channel>`, `POST /webhooks/<channel>/status`, and the phone page's feed. */
export function createWebhooks(
  service: Service,
  { intake, slots }: RequestLimits,
): (request: EdgeRequest) => Promise<EdgeAnswer> {
  const feed = createFeed(service);
  const urlOf = createUrl(service.publicUrl);
  return async (request) => {
    const { name, step } = targetOf(request.path);
    const channel = named(service, name);
    if (!channel) {
      // Mostly somebody's mistake where the URL was entered, which shows nowhere else. The name is a stranger's word: it is not told.
      if (!isRead(request.method)) noteRefusal(service, "(none)", "ROUTE_NOT_FOUND", NO_CHANNEL);
      return notFound("there is no channel of that name");
    }
    const called = { service, name, channel };
    const isFeed = step === "feed" && channel.type === "web";
    const allowed = isFeed ? ["GET"] : Object.hasOwn(STEPS, step) ? STEPS[step] : undefined;
    if (!allowed) return notFound();
    const { method, headers } = request;
    if (!allowed.includes(method) && !(isFeed && isRead(method))) return methodNotAllowed(allowed);

    const head = { method, url: urlOf(request), headers };
    const tooMany = () => refusal(called, TOO_MANY);
    if (isFeed) return slots.feed.use(() => feed(name, channel, request), tooMany);
    const receive = (body: Buffer) => service.receive(name, { ...head, body });
    if (isRead(method)) return slots.feed.use(() => receive(EMPTY), tooMany);

    // What every real webhook has costs nothing to look for; its body does.
    const refused = channel.glance?.(head);
    if (refused) return refusal(called, { code: refused.code, detail: refused.why });
    const bytesMax = bytesMaxOf(channel, service.settings);
    return intake.during(async (reading) => {
      const body = await request.body(bytesMax, reading);
      if (typeof body === "string") return notRead(called, body, bytesMax);
      return (step === "" ? slots.webhooks : slots.status).use(() => receive(body), tooMany);
    });
  };
}

interface Called {
  readonly service: Service;
  readonly name: string;
  readonly channel: Channel;
}

interface Refusal {
  readonly code: RefusalCode;
  readonly detail: string;
  readonly retryAfterSeconds?: number;
}

const TOO_MANY: Refusal = {
  code: "RATE_LIMITED",
  detail: "too many requests at once",
  retryAfterSeconds: RETRY_AFTER_SECONDS,
};

/** In the channel's words, and told like what the channel itself refuses. */
function refusal({ service, name, channel }: Called, refused: Refusal): EdgeAnswer {
  noteRefusal(service, name, refused.code, refused.detail);
  const answer = channel.answer(refused);
  if (refused.retryAfterSeconds === undefined) return answer;
  return { ...answer, headers: { "retry-after": String(refused.retryAfterSeconds), ...answer.headers } };
}

function notRead(called: Called, body: Exclude<Body, Buffer>, bytesMax: number): EdgeAnswer {
  if (body === "crowded-out") return refusal(called, TOO_MANY);
  if (body === "too-large") {
    const detail = `a body may have ${bytesMax} bytes`;
    return refusal(called, { code: "PAYLOAD_TOO_LARGE", detail });
  }
  if (body === "too-slow")
    noteRefusal(called.service, called.name, "INVALID_PAYLOAD", "the body came too slowly");
  return unread(body, bytesMax);
}

function named(service: Service, name: string): Channel | undefined {
  return Object.hasOwn(service.channels, name) ? service.channels[name] : undefined;
}

/** A slash at the end is a common slip in a provider's console, and would lose every message. */
function targetOf(path: string): { name: string; step: string } {
  const end = path.endsWith("/") ? path.length - 1 : path.length;
  const slash = path.indexOf("/", WEBHOOKS.length);
  if (slash === -1 || slash >= end) return { name: path.slice(WEBHOOKS.length, end), step: "" };
  return { name: path.slice(WEBHOOKS.length, slash), step: path.slice(slash + 1, end) };
}
