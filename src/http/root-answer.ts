import type { Service } from "../runtime/service.ts";
import { json } from "./answers.ts";
import type { EdgeAnswer } from "./edge-request.ts";
import { phonePage } from "./page/page.ts";

/** Names no channel: a caller who finds the address need not learn where to post. */
const NOTE = json(200, { service: "lull", health: ["/healthz", "/readyz"], api: "/api/openapi.json" });

/** What stands at `/`: the phone where there is a `web` channel to talk to, else a note. */
export function rootAnswer(service: Service, page: boolean, showsReasons: boolean): EdgeAnswer {
  const web = Object.entries(service.channels).find(([, channel]) => channel.type === "web");
  if (!page || !web) return NOTE;
  const [name, channel] = web;
  return phonePage(name, { isUnsigned: channel.isUnsigned, showsReasons });
}
