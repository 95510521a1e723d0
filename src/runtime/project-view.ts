import { conversationOfUnknown, conversationWithin } from "../core/identity.ts";
import { LullError } from "../errors.ts";
import type { ConversationKey } from "../model/conversation.ts";
import type { Conversations } from "../ports/conversations.ts";
import type { Engine } from "../ports/engine.ts";
import type { Inspector, Listing, Page } from "../ports/inspector.ts";
import type { Repairs } from "../ports/repairs.ts";

type IsTheirs = (conversation: ConversationKey) => boolean;
/** Whether a conversation is there for the project, by its id. */
type Knows = (conversationId: string | undefined) => Promise<boolean>;

/** What a project sees of the store: other projects' conversations are not there. */
export function viewOf(engine: Engine, isTheirs: IsTheirs): Engine {
  const { conversations, inspector, repairs } = engine;
  const knows: Knows = async (id) => {
    const found = id === undefined ? undefined : await conversations.get(id);
    return found !== undefined && isTheirs(found);
  };
  return {
    ...engine,
    conversations: theirConversations(conversations, isTheirs, knows),
    inspector: theirInspector(inspector, isTheirs, knows),
    repairs: theirRepairs(repairs, inspector, knows),
  };
}

function theirConversations(all: Conversations, isTheirs: IsTheirs, knows: Knows): Conversations {
  return {
    create: async (given) => (isTheirs(given) ? all.create(given) : notTheirs()),
    get: async (id) => ((await knows(id)) ? all.get(id) : undefined),
    change: async (id, change) => ((await knows(id)) ? all.change(id, change) : undefined),
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

/** A page may hold fewer than it could, or none, and another follow: what is left out is other projects'. */
function theirInspector(all: Inspector, isTheirs: IsTheirs, knows: Knows): Inspector {
  const ofTheirs =
    <T extends { readonly conversationId?: string }>(list: (page: Page) => Promise<Listing<T>>) =>
    async (page: Page): Promise<Listing<T>> => {
      const { items, ...more } = await list(page);
      const known = await Promise.all(items.map(({ conversationId }) => knows(conversationId)));
      return { ...more, items: items.filter((_, at) => known[at]) };
    };
  return {
    async conversations(filter) {
      const { items, ...more } = await all.conversations(filter);
      return { ...more, items: items.filter(isTheirs) };
    },
    conversation: async (id, limits) => ((await knows(id)) ? all.conversation(id, limits) : undefined),
    latestId: async (key) => (isTheirs(key) ? all.latestId(key) : undefined),
    names: async (conversation) => (isTheirs(conversation) ? all.names(conversation) : notTheirs()),
    locks: ofTheirs((page) => all.locks(page)),
    dead: ofTheirs((page) => all.dead(page)),
    unknown: ofTheirs((page) => all.unknown(page)),
    refusals: ofTheirs((page) => all.refusals(page)),
    quarantined: notTheirs,
    projectChange: notTheirs,
    counts: notTheirs,
    gauges: notTheirs,
  };
}

function theirRepairs(all: Repairs, inspector: Inspector, knows: Knows): Repairs {
  const unless = async <T>(isKnown: Promise<boolean>, repair: () => Promise<T>): Promise<T | "not-found"> =>
    (await isKnown) ? repair() : "not-found";
  const knowsDead = async (id: string) => knows(await conversationOfDead(inspector, id));
  const knowsUnknown = (id: string) => knows(conversationOfUnknown(id));
  return {
    retryDead: (id) => unless(knowsDead(id), () => all.retryDead(id)),
    discardDead: (id) => unless(knowsDead(id), () => all.discardDead(id)),
    markUnknown: (id) => unless(knowsUnknown(id), () => all.markUnknown(id)),
    resendUnknown: (id) => unless(knowsUnknown(id), () => all.resendUnknown(id)),
    discardQuarantined: notTheirs,
  };
}

const PAGE_ROWS = 500;

/** Not every engine names the conversation in the id. Dead letters are few: a person sees to each. */
async function conversationOfDead(inspector: Inspector, id: string): Promise<string | undefined> {
  let cursor: string | undefined;
  do {
    const page = { limit: PAGE_ROWS, ...(cursor !== undefined && { cursor }) };
    const { items, next } = await inspector.dead(page);
    const found = items.find((letter) => letter.id === id);
    if (found) return found.conversationId;
    cursor = next;
  } while (cursor !== undefined);
  return undefined;
}

/** Nothing that concerns other projects too. */
function notTheirs(): Promise<never> {
  const message = "this is for all projects, and the caller may act for one";
  return Promise.reject(new LullError(message, { code: "FORBIDDEN", retry: "never" }));
}
