import { byName } from "../runtime/by-name.ts";
import { glance, noteRefusal, refuse, refuseNameless, refuseTooLarge, TOO_MANY } from "../runtime/refuse.ts";
import type { Service } from "../runtime/service.ts";
import type { Aliases } from "../schema/aliases.ts";
import { isRead, methodNotAllowed, notFound } from "./answers.ts";
import type { Body, EdgeAnswer, EdgeRequest } from "./edge-request.ts";
import { createFeed } from "./feed.ts";
import { createUrl } from "./public-url.ts";
import { bytesMaxOf, type RequestLimits, unread } from "./request-limits.ts";

const WEBHOOKS = "/webhooks/";
/**
 * What may follow the channel's name, with its methods. Some providers use GET to ask for a proof of
 * ownership.
 */
const ENDINGS: Readonly<Record<string, readonly string[]>> = { "": ["POST", "GET"], status: ["POST"] };
const EMPTY = Buffer.alloc(0);

/** Whose webhook a path is, and which of its endings. */
interface Target {
  readonly name: string;
  readonly step: string;
}

/** `POST /webhooks/<channel>`, `POST /webhooks/<channel>/status`, and the phone page's feed. */
export function createWebhooks(
  service: Service,
  limits: RequestLimits,
  showsReasons: boolean,
): (target: Target, request: EdgeRequest) => Promise<EdgeAnswer> {
  const { intake, shared, party, proving } = limits;
  const feed = createFeed(service, showsReasons);
  const urlOf = createUrl(service.publicUrl);
  return async ({ name, step }, request) => {
    const channel = byName(service.channels, name);
    if (!channel) {
      if (!isRead(request.method)) refuseNameless(service);
      return notFound("there is no channel of that name");
    }
    const isFeed = step === "feed" && channel.type === "web";
    const allowed = isFeed ? ["GET"] : byName(ENDINGS, step);
    if (!allowed) return notFound();
    const { method, headers } = request;
    if (!allowed.includes(method) && !(isFeed && isRead(method))) return methodNotAllowed(allowed);

    const head = { method, url: urlOf(request), headers };
    const tooMany = () => refuse(service, name, TOO_MANY);
    if (isFeed) {
      const show = await proving(name).use(() => feed(name, channel, request), tooMany);
      if (typeof show !== "function") return show;
      return { ...(await shared(name, "feed").use(show, tooMany)), party: party(name) };
    }
    const receive = (body: Buffer) => service.receive(name, { ...head, body });
    if (isRead(method)) return proving(name).use(() => receive(EMPTY), tooMany);

    const refused = glance(service, name, head);
    if (refused) return refused;
    const bytesMax = bytesMaxOf(channel, service.settings);
    return intake.during(async (reading) => {
      const body = await request.body(bytesMax, reading);
      if (typeof body === "string") return notRead(service, name, body, bytesMax);
      return shared(name, step === "" ? "webhooks" : "status").use(() => receive(body), tooMany);
    }, party(name));
  };
}

/** A caller that hung up, or was too slow, has no use for the channel's words. */
function notRead(service: Service, name: string, body: Exclude<Body, Buffer>, bytesMax: number): EdgeAnswer {
  if (body === "crowded-out") return refuse(service, name, TOO_MANY);
  if (body === "too-large") return refuseTooLarge(service, name, bytesMax);
  if (body === "too-slow") noteRefusal(service, name, "INVALID_PAYLOAD", "the body came too slowly");
  return unread(body, bytesMax);
}

/** Undefined for a path that is no webhook's. Only a channel's own path has endings, an alias has none. */
export function webhookTargets(aliases: Aliases): (path: string) => Target | undefined {
  const channels = new Map(Object.entries(aliases));
  return (path) => {
    // A slash at the end is a common slip in a provider's console, and would lose every message.
    const plain = path.endsWith("/") ? path.slice(0, -1) : path;
    if (path.startsWith(WEBHOOKS)) return targetOf(plain);
    const name = channels.get(plain);
    return name === undefined ? undefined : { name, step: "" };
  };
}

function targetOf(path: string): Target {
  const slash = path.indexOf("/", WEBHOOKS.length);
  if (slash === -1) return { name: path.slice(WEBHOOKS.length), step: "" };
  return { name: path.slice(WEBHOOKS.length, slash), step: path.slice(slash + 1) };
}
