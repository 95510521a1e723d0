import type { ConfiguredChannel } from "./channels.ts";
import type { ConfiguredResponder } from "./responder.ts";

/** Who answers, as a file or a project in it says. */
export interface OwnResponders {
  /** For all channels that have no other. */
  readonly responder: ConfiguredResponder | undefined;
  /** By channel. */
  readonly responders: Readonly<Record<string, ConfiguredResponder>>;
  readonly handOff: ConfiguredResponder | undefined;
}

/** A responder under the name that a person knows it by: `responder of channel sms`. */
export interface AskedResponder extends ConfiguredResponder {
  readonly name: string;
}

interface All extends OwnResponders {
  readonly channels: readonly ConfiguredChannel[];
  readonly byProjects: Readonly<Record<string, OwnResponders>>;
}

/**
 * Each that some message may reach. The one for all is left out where every channel has another: no customer
 * would meet what is wrong with it.
 */
export function askedBy({ channels, byProjects, ...own }: All): AskedResponder[] {
  const isAsked = channels.length === 0 || channels.some((channel) => !hasOther(channel, own, byProjects));
  const ofProjects = Object.entries(byProjects).flatMap(([name, theirs]) =>
    named(theirs, ` of ${name}`, channels),
  );
  return [...named({ ...own, responder: isAsked ? own.responder : undefined }, "", channels), ...ofProjects];
}

/** Said of its own name, or for all channels of its project. */
function hasOther(
  { name, project }: ConfiguredChannel,
  own: OwnResponders,
  byProjects: Readonly<Record<string, OwnResponders>>,
): boolean {
  const theirs = project === undefined ? undefined : byProjects[project];
  return [own, theirs].some((each) => each?.responders[name]) || theirs?.responder !== undefined;
}

function named(
  { responder, responders, handOff }: OwnResponders,
  of: string,
  channels: readonly ConfiguredChannel[],
): AskedResponder[] {
  const there = new Set(channels.map(({ name }) => name));
  const byChannel = Object.entries(responders).filter(([name]) => there.has(name));
  return [
    ...(responder ? [{ ...responder, name: `responder${of}` }] : []),
    ...byChannel.map(([name, each]) => ({ ...each, name: `responder of channel ${name}` })),
    ...(handOff ? [{ ...handOff, name: `handOffTo${of}` }] : []),
  ];
}
