import type { RefusalCode } from "../core/refusals.ts";
import type { Channel, WebhookHead } from "../ports/channel.ts";
import type { Service } from "../runtime/service.ts";
import { isRead, methodNotAllowed, notFound } from "./answers.ts";
import { bytesMaxOf, type Door, RETRY_AFTER_SECONDS, unread } from "./door.ts";
import type { Body, EdgeAnswer, EdgeRequest } from "./edge.ts";
import { createFeed } from "./feed.ts";
import type { Intake } from "./intake.ts";
import { createUrl } from "./public-url.ts";

export const WEBHOOKS = "/webhooks/";
/** What may follow the channel's name, and the methods it takes. GET is how some providers ask for a proof of ownership. */
const STEPS: Readonly<Record<string, readonly string[]>> = { "": ["POST", "GET"], status: ["POST"] };
const EMPTY = Buffer.alloc(0);

/** `POST /webhooks/<channel>`, `POST /webhooks/<channel>/status`, and the phone page's feed. */
export function createWebhooks(
  service: Service,
  { intake, slots }: Door,
): (request: EdgeRequest) => Promise<EdgeAnswer> {
  const feed = createFeed(service);
  const urlOf = createUrl(service.publicUrl);
  return async (request) => {
    const { name, step } = targetOf(request.path);
    const channel = named(service, name);
    if (!channel) return notFound("there is no channel of that name");
    const called = { service, name, channel };
    const isFeed = step === "feed" && channel.type === "web";
    const allowed = isFeed ? ["GET"] : Object.hasOwn(STEPS, step) ? STEPS[step] : undefined;
    if (!allowed) return notFound();
    const { method, headers } = request;
    if (!allowed.includes(method) && !(isFeed && isRead(method))) return methodNotAllowed(allowed);

    const head = { method, url: urlOf(request), headers };
    const body = isRead(method) ? EMPTY : await bodyOf(called, head, request, intake);
    if (!Buffer.isBuffer(body)) return body;
    if (!slots.take()) return refusal(called, TOO_MANY);
    try {
      if (isFeed) return await feed(name, channel, request);
      const webhook = { ...head, body };
      return await (step === "" ? service.receive(name, webhook) : service.receiveStatus(name, webhook));
    } finally {
      slots.giveBack();
    }
  };
}

/** The body, or the answer to who is not worth reading. */
async function bodyOf(
  called: Called,
  head: WebhookHead,
  request: EdgeRequest,
  intake: Intake,
): Promise<Buffer | EdgeAnswer> {
  const { channel, service } = called;
  // What every real webhook has costs nothing to look for; its body does.
  const refused = channel.glance?.(head);
  if (refused) return refusal(called, { code: refused.code, detail: refused.why });
  const bytesMax = bytesMaxOf(channel, service.settings);
  const body = await request.body(bytesMax, intake);
  return typeof body === "string" ? notRead(called, body, bytesMax) : body;
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
  service.noteRefusal(name, refused.code, refused.detail);
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
    called.service.noteRefusal(called.name, "INVALID_PAYLOAD", "the body came too slowly");
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
