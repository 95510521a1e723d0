import type { Channel } from "../ports/channel.ts";
import type { Service } from "../runtime/service.ts";
import { failure, isRead, methodNotAllowed, notFound } from "./answers.ts";
import type { EdgeAnswer, EdgeRequest } from "./edge.ts";
import { createFeed } from "./feed.ts";
import { createUrl } from "./public-url.ts";

export const WEBHOOKS = "/webhooks/";
/** What may follow the channel's name, and the methods it takes. GET is how some providers ask for a proof of ownership. */
const STEPS: Readonly<Record<string, readonly string[]>> = { "": ["POST", "GET"], status: ["POST"] };
const EMPTY = Buffer.alloc(0);

/** `POST /webhooks/<channel>`, `POST /webhooks/<channel>/status`, and the phone page's feed. */
export function createWebhooks(service: Service): (request: EdgeRequest) => Promise<EdgeAnswer> {
  const feed = createFeed(service);
  const urlOf = createUrl(service.publicUrl);
  return async (request) => {
    const { name, step } = targetOf(request.path);
    const channel = named(service, name);
    if (!channel) return notFound("there is no channel of that name");
    if (step === "feed" && channel.type === "web") return feed(channel, request);
    const allowed = Object.hasOwn(STEPS, step) ? STEPS[step] : undefined;
    if (!allowed) return notFound();
    if (!allowed.includes(request.method)) return methodNotAllowed(allowed);

    const bytesMax = channel.bodyBytesMax ?? service.settings.bodyBytesMax;
    const body = isRead(request.method) ? EMPTY : await request.body(bytesMax);
    if (body === "too-large") {
      return channel.answer({ code: "PAYLOAD_TOO_LARGE", detail: `a body may have ${bytesMax} bytes` });
    }
    if (body === "gone") return failure(400, "INVALID_PAYLOAD", "the body ended early");
    const { method, headers } = request;
    const webhook = { method, url: urlOf(request), headers, body };
    return step === "" ? service.receive(name, webhook) : service.receiveStatus(name, webhook);
  };
}

/** The channel that a path speaks to, if it speaks to one. */
export function channelOf(service: Service, path: string): Channel | undefined {
  return path.startsWith(WEBHOOKS) ? named(service, targetOf(path).name) : undefined;
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
