import type { Responder } from "../ports/responder.ts";
import type { Arranged } from "./arranged.ts";

export type ResponderFor = (channel: string) => Responder | undefined;

/** Who gets a channel's turns while a human has them: its project's target, else the one for all. */
export function handOffFor(channels: Arranged, forAll: Responder | undefined): ResponderFor {
  return (name) => channels.get(name)?.handOff?.value ?? forAll;
}

/** A channel's own responder answers it, else the one for all. Without either, its messages are refused. */
export function responderFor(channels: Arranged, forAll: Responder | undefined): ResponderFor {
  return (name) => channels.get(name)?.responder?.value ?? forAll;
}
