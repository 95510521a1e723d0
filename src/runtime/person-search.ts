import { isNumber, ownNamesGiven, realmOf, spellingsOf, TELEPHONE } from "../core/named-person.ts";
import type { KeptOf, PersonAt } from "../model/kept.ts";
import type { Channel } from "../ports/channel.ts";
import type { OperatedEngine } from "../ports/engine.ts";

export interface Only {
  readonly channel: string;
  readonly type: string;
  readonly isTheirs: (at: PersonAt) => boolean;
}

export interface Progress {
  page(): void;
  rows(count: number): void;
}

export interface Search {
  readonly people: OperatedEngine["people"];
  readonly customer: string;
  readonly channels: Readonly<Record<string, Channel>>;
  readonly only: Only | undefined;
  readonly progress: Progress;
  readonly isThorough: boolean;
}

/** Types of channels among which a name is one person's, and the names that were found to be the person's. */
interface Realm {
  readonly realm: string;
  readonly names: readonly string[];
}

export interface Found {
  readonly places: readonly PersonAt[];
  readonly realms: readonly Realm[];
}

/** Names lead to names: a person who has had more than this many rounds of them is asked for by each. */
const ROUNDS_MAX = 20;

/** Of each type of channel: where names are numbers that a provider vouches for, and where not. */
function realmsOf(channels: Search["channels"]): (type: string) => string {
  const numbered = Object.values(channels).filter((each) => each.canonical && !each.hasVisitors);
  const types = new Set(numbered.map(({ type }) => type));
  return (type) => realmOf(type, types);
}

interface Asked {
  readonly names: readonly string[];
  readonly isMeant: (realm: string) => boolean;
}

/**
 * The names that a search begins with. A number is a customer's of a telephone: a visitor who took it for a
 * name is another person, who is asked for by channel.
 */
function firstAsked({ customer, channels, only }: Search, inRealm: (type: string) => string): Asked[] {
  const [spelt, exact] = [spelling(customer, channels), [customer]];
  const isTelephone = (realm: string) => realm === TELEPHONE;
  if (only !== undefined) {
    const wanted = inRealm(only.type);
    return [{ names: isTelephone(wanted) ? spelt : exact, isMeant: (realm) => realm === wanted }];
  }
  if (isNumber(customer)) return [{ names: spelt, isMeant: isTelephone }];
  if (spelt.length === 1 && spelt[0] === customer) return [{ names: exact, isMeant: () => true }];
  return [
    { names: spelt, isMeant: isTelephone },
    { names: exact, isMeant: (realm) => !isTelephone(realm) },
  ];
}

/** Each channel knows how its customers' names may be written. */
function spelling(customer: string, channels: Search["channels"]): string[] {
  const given = [customer, ...Object.values(channels).map((each) => each.canonical?.(customer) ?? customer)];
  return [...new Set(given.flatMap(spellingsOf))];
}

/**
 * One name leads to places, and each of them may know another, which is asked for where it was learnt: until
 * nothing new is found.
 */
export async function searched(search: Search): Promise<Found> {
  const inRealm = realmsOf(search.channels);
  const places = new Map<string, PersonAt>();
  let asked = firstAsked(search, inRealm);
  const known = new Map(
    everyRealm(search, inRealm).map((realm) => [
      realm,
      new Set(asked.flatMap(({ names, isMeant }) => (isMeant(realm) ? names : []))),
    ]),
  );
  for (let round = 0; round < ROUNDS_MAX && asked.length > 0; round += 1) {
    for (const each of asked) await lookFor(search, each, inRealm, places);
    asked = learntIn([...places.values()], inRealm, known);
  }
  const realms = [...known].map(([realm, names]) => ({ realm, names: [...names] }));
  return { places: [...places.values()], realms: realms.filter(({ names }) => names.length > 0) };
}

function everyRealm({ channels }: Search, inRealm: (type: string) => string): string[] {
  return [...new Set([TELEPHONE, ...Object.values(channels).map(({ type }) => inRealm(type))])];
}

async function lookFor(
  search: Search,
  { names, isMeant }: Asked,
  inRealm: (type: string) => string,
  places: Map<string, PersonAt>,
): Promise<void> {
  for await (const at of placesOf(search, names))
    if (isMeant(inRealm(at.channelType)) && (search.only?.isTheirs(at) ?? true)) merge(places, at);
}

/** What is new of it counts as known from here on. */
function learntIn(
  places: readonly PersonAt[],
  inRealm: (type: string) => string,
  known: Map<string, Set<string>>,
): Asked[] {
  return [...Map.groupBy(places, ({ channelType }) => inRealm(channelType))].flatMap(([where, there]) => {
    const before = known.get(where) ?? new Set();
    const own = there.flatMap((at) => ownNamesGiven(at, where));
    const names = [...new Set(own)].filter((name) => !before.has(name));
    known.set(where, new Set([...before, ...names]));
    return names.length === 0 ? [] : [{ names, isMeant: (realm: string) => realm === where }];
  });
}

async function* placesOf(
  { people, progress, isThorough }: Search,
  names: readonly string[],
): AsyncGenerator<PersonAt> {
  let cursor: string | undefined;
  do {
    const page = await people.find({ names, isThorough, ...(cursor !== undefined && { cursor }) });
    progress.page();
    yield* page.items;
    cursor = page.next;
  } while (cursor !== undefined);
}

function merge(places: Map<string, PersonAt>, at: PersonAt): void {
  const key = JSON.stringify([at.channelType, at.address]);
  const before = places.get(key);
  places.set(key, {
    ...at,
    names: both(before?.names, at.names),
    conversationIds: both(before?.conversationIds, at.conversationIds),
    others: both(before?.others, at.others),
  });
}

function both(before: readonly string[] = [], more: readonly string[]): string[] {
  return [...new Set([...before, ...more])];
}

/** Place by place; behind them, what names the person and is in no conversation. */
export function allOf({ channels, only }: Search, { places, realms }: Found): KeptOf[] {
  if (only !== undefined) {
    const names = [...new Set(realms.flatMap((each) => each.names))];
    return [...places, { names, channels: [only.channel] }];
  }
  const inRealm = realmsOf(channels);
  const named = realms.map(({ realm, names }) => {
    const isIn = ([, { type }]: [string, Channel]) => inRealm(type) === realm;
    const own = Object.entries(channels)
      .filter(isIn)
      .map(([name]) => name);
    if (realm !== TELEPHONE) return { names, channels: own };
    return { names, except: Object.keys(channels).filter((name) => !own.includes(name)) };
  });
  return [...places, ...named];
}
