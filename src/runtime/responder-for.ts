import type { Responder } from "../ports/responder.ts";
import { byName } from "./by-name.ts";
import type { LullConfig } from "./config.ts";

export type ResponderFor = (channel: string) => Responder | undefined;

/** A channel's own responder answers it, else the one for all. Without either, its messages are refused. */
export function responderFor(config: Pick<LullConfig, "responders" | "respond">): ResponderFor {
  const { responders = {}, respond } = config;
  return (channel) => byName(responders, channel) ?? respond;
}
