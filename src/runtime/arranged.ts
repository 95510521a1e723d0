import { ConfigError } from "../errors.ts";
import { DEFAULT_PROJECT } from "../model/project.ts";
import type { Channel } from "../ports/channel.ts";
import type { Responder } from "../ports/responder.ts";
import { didYouMean } from "../schema/suggest.ts";
import type { AnsweringConfig } from "./answering-config.ts";
import { byName } from "./by-name.ts";
import type { WindowConfig } from "./window-config.ts";

/** What is configured, and what its author finds it under. */
export interface Said<T> {
  readonly value: T;
  readonly where: string;
}

/** A channel with what is said of it alone, or of its project. */
export interface ArrangedChannel {
  readonly channel: Channel;
  /** `channels.sms`, or `projects.acme.channels.sms`. */
  readonly where: string;
  readonly project?: string;
  readonly window?: Said<WindowConfig>;
  readonly responder?: Said<Responder>;
  /** Who gets the turns of conversations that a human has. */
  readonly handOff?: Said<Responder>;
}

/** The channels of all projects beside each other, by name. */
export type Arranged = ReadonlyMap<string, ArrangedChannel>;

interface Given extends AnsweringConfig {
  readonly projects?: Readonly<Record<string, AnsweringConfig>>;
}

const NAME = /^[a-z][a-z0-9-]{0,39}$/;
const NAME_IN_WORDS = "lower-case letters, digits and dashes";
const TWICE = "another channel has this name; webhooks are told apart by it";

export function arranged(given: Given): Arranged {
  const all = new Map<string, ArrangedChannel>();
  for (const [name, channel] of Object.entries(given.channels))
    add(all, name, { channel, where: `channels.${name}`, ...saidOf(given, "", name) });
  for (const [project, theirs] of Object.entries(given.projects ?? {})) {
    const at = `projects.${project}`;
    checkProject(project, theirs, at);
    for (const [name, channel] of Object.entries(theirs.channels)) {
      // What is said of its name for all counts where its project says nothing.
      const said = { ...saidOf(given, "", name), ...ofProject(theirs, at, name) };
      add(all, name, { channel, where: `${at}.channels.${name}`, project, ...said });
    }
  }
  const strange = Object.keys(given.windows ?? {}).find((name) => !all.has(name));
  if (strange !== undefined) throw new ConfigError(`windows.${strange}: there is no channel of that name`);
  return all;
}

/** By name, as they are opened and used. */
export function channelsOf(all: Arranged): Record<string, Channel> {
  return Object.fromEntries([...all].map(([name, { channel }]) => [name, channel]));
}

function add(all: Map<string, ArrangedChannel>, name: string, arranged: ArrangedChannel): void {
  const { where } = arranged;
  if (!NAME.test(name)) throw new ConfigError(`${where}: a channel's name is ${NAME_IN_WORDS}`);
  if (all.has(name)) throw new ConfigError(`${where}: ${TWICE}`);
  all.set(name, arranged);
}

type OfChannel = Pick<ArrangedChannel, "window" | "responder">;

/** What is said under the channel's own name. */
function saidOf({ windows = {}, responders = {} }: AnsweringConfig, before: string, name: string): OfChannel {
  const [window, responder] = [byName(windows, name), byName(responders, name)];
  return {
    ...(window && { window: { value: window, where: `${before}windows.${name}` } }),
    ...(responder && { responder: { value: responder, where: `${before}responders.${name}` } }),
  };
}

function ofProject(theirs: AnsweringConfig, at: string, name: string): Partial<ArrangedChannel> {
  const { window, respond, handOffTo } = theirs;
  return {
    ...(window && { window: { value: window, where: `${at}.window` } }),
    ...(respond && { responder: { value: respond, where: `the responder of ${at}` } }),
    ...(handOffTo && { handOff: { value: handOffTo, where: `${at}.handOffTo` } }),
    ...saidOf(theirs, `${at}.`, name),
  };
}

function checkProject(project: string, { channels, windows, responders }: AnsweringConfig, at: string): void {
  if (project === DEFAULT_PROJECT)
    throw new ConfigError(`${at}: this is the project of the channels that are under none`);
  if (!NAME.test(project)) throw new ConfigError(`${at}: a project's name is ${NAME_IN_WORDS}`);
  if (Object.keys(channels ?? {}).length === 0) throw new ConfigError(`${at} has no channels`);
  for (const [key, given] of Object.entries({ windows, responders })) {
    const unknown = Object.keys(given ?? {}).find((name) => byName(channels, name) === undefined);
    if (unknown !== undefined)
      throw new ConfigError(
        `${at}.${key}.${unknown}: it has no channel of that name` +
          didYouMean(unknown, Object.keys(channels)),
      );
  }
}
