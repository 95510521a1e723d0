import { conversationWithin } from "../core/identity.ts";
import { projectOf, projectWith } from "../core/projects.ts";
import { LullError } from "../errors.ts";
import type { ConversationKey } from "../model/conversation.ts";
import type { DeadLetter } from "../model/dead-letter.ts";
import { isPlace, type KeptOf } from "../model/kept.ts";
import type { Settings } from "../model/settings.ts";
import type { Conversations } from "../ports/conversations.ts";
import type { Engine, OperatedEngine } from "../ports/engine.ts";
import type { ConversationFilter, Inspector, Listing, Page } from "../ports/inspector.ts";
import type { People } from "../ports/people.ts";
import type { Repairs } from "../ports/repairs.ts";
import { withSealedCursors } from "./sealed-cursor.ts";
import { theirPages } from "./their-pages.ts";

type IsTheirs = (conversation: ConversationKey) => boolean;
/**
 * Whether a conversation is there for the project, by its id. What never got a record is the project's over
 * whose channel it came.
 */
type Knows = (conversationId: string | undefined, channel?: string) => Promise<boolean>;

type Key = () => Promise<Buffer>;

/** What a project sees of the store: other projects' conversations are not there. */
export function viewOf(engine: Engine, settings: Settings, project: string): OperatedEngine {
  const { conversations, inspector, repairs, people } = engine;
  // Also of the only project: at an address that no channel has are customers of projects that are gone.
  const isTheirs: IsTheirs = (key) => projectWith(settings, key) === project;
  // A channel that was removed from the configuration may have been another project's.
  const hasChannel = (name: string) =>
    Object.hasOwn(settings.channels, name) && projectOf(settings, name) === project;
  const knows: Knows = async (id, channel) => {
    const found = id === undefined ? undefined : await conversations.get(id);
    if (found) return isTheirs(found);
    return channel !== undefined && hasChannel(channel);
  };
  const key: Key = async () => Buffer.from(await engine.secretFor(`cursors of ${project}`), "base64url");
  return {
    conversations: theirConversations(conversations, isTheirs, knows),
    inspector: theirInspector(inspector, isTheirs, knows, key),
    repairs: theirRepairs(repairs, knows),
    people: theirPeople(people, isTheirs, Object.keys(settings.channels).filter(hasChannel)),
  };
}

/** What names a person in no conversation is theirs if it came over one of their channels. */
function theirPeople(all: People, isTheirs: IsTheirs, channels: readonly string[]): People {
  const theirs = (of: KeptOf): KeptOf | undefined => {
    if (isPlace(of)) return isTheirs({ ...of, sender: "" }) ? of : undefined;
    return { ...of, channels: channels.filter((name) => of.channels?.includes(name) ?? true) };
  };
  return {
    async find(search) {
      const { items, ...rest } = await all.find(search);
      return { items: items.filter((at) => isTheirs({ ...at, sender: "" })), ...rest };
    },
    async kept(of, page) {
      const own = theirs(of);
      return own ? all.kept(own, page) : { items: [] };
    },
    async erase(of) {
      const own = theirs(of);
      return own ? all.erase(own) : "not-found";
    },
  };
}

function theirConversations(all: Conversations, isTheirs: IsTheirs, knows: Knows): Conversations {
  return {
    create: async (given) => (isTheirs(given) ? all.create(given) : notTheirs()),
    get: async (id) => ((await knows(id)) ? all.get(id) : undefined),
    change: async (id, change) => ((await knows(id)) ? all.change(id, change) : undefined),
    changeAttribute: async (id, change) =>
      (await knows(id)) ? all.changeAttribute(id, change) : "not-found",
    erase: async (id) => ((await knows(id)) ? all.erase(id) : "not-found"),
    history: async (id, messagesMax, bytesMax) =>
      (await knows(id)) ? all.history(id, messagesMax, bytesMax) : [],
    say: async (outbound) => ((await knows(outbound.conversationId)) ? all.say(outbound) : "not-found"),
    answer: async (answer) =>
      (await knows(conversationWithin(answer.turnId))) ? all.answer(answer) : "stale",
    pauseAll: notTheirs,
    changeProject: notTheirs,
  };
}

function theirInspector(all: Inspector, isTheirs: IsTheirs, knows: Knows, key: Key): Inspector {
  const pages = <T, P extends Page>(
    list: string,
    read: (page: P) => Promise<Listing<T>>,
    isWanted: (item: T) => Promise<boolean> | boolean,
  ) => withSealedCursors(list, key, theirPages(read, isWanted));
  return {
    conversations: pages(
      "conversations",
      (filter: ConversationFilter) => all.conversations(filter),
      isTheirs,
    ),
    conversation: async (id, limits) => ((await knows(id)) ? all.conversation(id, limits) : undefined),
    latestId: async (key) => (isTheirs(key) ? all.latestId(key) : undefined),
    names: async (conversation) => (isTheirs(conversation) ? all.names(conversation) : notTheirs()),
    locks: pages(
      "locks",
      (page: Page) => all.locks(page),
      ({ conversationId }) => knows(conversationId),
    ),
    dead: pages(
      "dead",
      (page: Page) => all.dead(page),
      (letter) => isKnownLetter(letter, knows),
    ),
    unknown: pages(
      "unknown",
      (page: Page) => all.unknown(page),
      ({ conversationId, channel }) => knows(conversationId, channel),
    ),
    refusals: pages(
      "refusals",
      (page: Page) => all.refusals(page),
      ({ conversationId, channel }) => knows(conversationId, channel),
    ),
    quarantined: notTheirs,
    projectChanges: notTheirs,
    counts: notTheirs,
    gauges: notTheirs,
  };
}

function theirRepairs(all: Repairs, knows: Knows): Repairs {
  const unless = async <T>(isKnown: Promise<boolean>, repair: () => Promise<T>): Promise<T | "not-found"> =>
    (await isKnown) ? repair() : "not-found";
  const deadLetter = async (id: string) => {
    const letter = await all.deadLetter(id);
    return (await isKnownLetter(letter, knows)) ? letter : undefined;
  };
  const knowsDead = async (id: string) => (await deadLetter(id)) !== undefined;
  const unknownSend = async (id: string) => {
    const send = await all.unknownSend(id);
    return send && (await knows(send.conversationId, send.channel)) ? send : undefined;
  };
  const knowsUnknown = async (id: string) => (await unknownSend(id)) !== undefined;
  return {
    deadLetter,
    unknownSend,
    retryDead: (id) => unless(knowsDead(id), () => all.retryDead(id)),
    discardDead: (id) => unless(knowsDead(id), () => all.discardDead(id)),
    markUnknown: (id) => unless(knowsUnknown(id), () => all.markUnknown(id)),
    resendUnknown: (id) => unless(knowsUnknown(id), () => all.resendUnknown(id)),
    discardQuarantined: notTheirs,
  };
}

async function isKnownLetter(letter: DeadLetter | undefined, knows: Knows): Promise<boolean> {
  return letter !== undefined && knows(letter.conversationId, channelOf(letter));
}

function channelOf({ messages, outbounds }: DeadLetter): string | undefined {
  return (messages[0] ?? outbounds[0])?.channel;
}

/** Nothing that concerns other projects too. */
function notTheirs(): Promise<never> {
  const message = "this is for all projects, and the caller may act for one";
  return Promise.reject(new LullError(message, { code: "FORBIDDEN", retry: "never" }));
}
