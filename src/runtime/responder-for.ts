import type { Responder } from "../ports/responder.ts";
import { byName } from "./by-name.ts";
import type { LullConfig } from "./config.ts";
import type { HandOffs } from "./project-config.ts";

export type ResponderFor = (channel: string) => Responder | undefined;

/** Who gets a channel's turns while a human has them: its project's target, else the one for all. */
export function handOffFor(handOffs: HandOffs, handOffTo: Responder | undefined): ResponderFor {
  return (channel) => byName(handOffs, channel) ?? handOffTo;
}

/** A channel's own responder answers it, else the one for all. Without either, its messages are refused. */
export function responderFor(config: Pick<LullConfig, "responders" | "respond">): ResponderFor {
  const { responders = {}, respond } = config;
  return (channel) => byName(responders, channel) ?? respond;
}
