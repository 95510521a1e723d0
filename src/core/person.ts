/** By which names somebody is known: of a message, or of a conversation. */
export interface Named {
  readonly sender: string;
  readonly senderAlias?: string | undefined;
  readonly aliasChangedHands?: boolean | undefined;
}

/** Whose conversation a message belongs to, and what is learnt of its person's names. */
export interface Choice<C> {
  readonly found?: C;
  /** Another name of the person, to be noted with the conversation that was found, or with the one that is made. */
  readonly learns?: string;
  /** Those that answered to that name until now, and no longer do. */
  readonly losers: readonly C[];
}

const NUMBER_OR_MAIL = /^\+?\d+$|@/;

/**
 * Chooses among the active conversations that have any of the message's names, newest first. The own name of a conversation counts before
 * what it learnt. An alias counts only between a name that stays and one that may pass on; and two people whose lasting names differ are
 * two, whatever number they share: it has changed hands, and belongs to whoever came with it last.
 */
export function chooseConversation<C extends Named>(names: Named, active: readonly C[]): Choice<C> {
  const found = find(names, active);
  const learns = learntFrom(names, found, active);
  const losers = learns === undefined ? [] : others(active, found).filter((each) => aliasOf(each) === learns);
  return { ...(found && { found }), ...(learns !== undefined && { learns }), losers };
}

function find<C extends Named>(names: Named, active: readonly C[]): C | undefined {
  const own = active.find(({ sender }) => sender === names.sender);
  const answering = active.filter((each) => aliasOf(each) === names.sender && !areTwo(each, names));
  // Named by a number that somebody else has come with since: that one's are the messages that tell nothing but the number.
  if (own) return answering.find((each) => areTwo(each, own)) ?? own;
  const alias = aliasOf(names);
  return answering[0] ?? active.find((each) => each.sender === alias && !areTwo(each, names));
}

function learntFrom<C extends Named>(
  names: Named,
  found: C | undefined,
  active: readonly C[],
): string | undefined {
  const sender = found?.sender ?? names.sender;
  const name = [names.sender, names.senderAlias].find(
    (each) => each !== undefined && areOfTwoKinds(each, sender),
  );
  if (name === undefined || name === found?.senderAlias) return undefined;
  const isAnothersOwn = others(active, found).some(
    (each) => each.sender === name && !areTwo(each, { sender, senderAlias: name }),
  );
  return isAnothersOwn ? undefined : name;
}

/** What is known of somebody whose conversations are looked for. */
export interface Person<C> {
  readonly conversations: readonly C[];
  /** What may be looked for under these names is theirs. */
  readonly names: readonly string[];
}

/**
 * Which of the conversations under these people's names, complete or not, are the same person's. A number that two have had leads from
 * neither of them to what only the number tells: nobody can say whose that was.
 */
export function personIn<C extends Named>(known: readonly Named[], found: readonly C[]): Person<C> {
  const all = [...known, ...found];
  const isShared = (name: string) => all.some((each) => each.aliasChangedHands && aliasOf(each) === name);
  const behind = (name: string) =>
    new Set(all.flatMap((each) => (namesOf(each).includes(name) ? (lastingOf(each) ?? []) : [])));
  const lasting = new Set(known.flatMap((each) => lastingOf(each) ?? []));
  const bare = new Set(known.flatMap((each) => (lastingOf(each) === undefined ? each.sender : [])));
  if (lasting.size === 0) {
    const holders = new Set([...bare].flatMap((name) => [...behind(name)]));
    if (holders.size === 1 && ![...bare].some(isShared)) for (const holder of holders) lasting.add(holder);
  }
  const isTheirs = (name: string) =>
    lasting.has(name) ||
    bare.has(name) ||
    (!isShared(name) && [...behind(name)].every((holder) => lasting.has(holder)));
  const conversations = found.filter((each) => isTheirs(lastingOf(each) ?? each.sender));
  const names = [...known, ...conversations].flatMap(namesOf).filter(isTheirs);
  return { conversations, names: [...new Set(names)] };
}

/** A telephone number, with or without `+`, or a mail address: it may pass to somebody else. Whatever else is a name stays one person's. */
export function isPassing(name: string): boolean {
  return NUMBER_OR_MAIL.test(name);
}

/** The names that count. */
export function namesOf(named: Named): string[] {
  const alias = aliasOf(named);
  return alias === undefined ? [named.sender] : [named.sender, alias];
}

/** Both have a name that stays theirs, and it is not the same. */
function areTwo(one: Named, other: Named): boolean {
  const [a, b] = [lastingOf(one), lastingOf(other)];
  return a !== undefined && b !== undefined && a !== b;
}

function lastingOf(named: Named): string | undefined {
  return namesOf(named).find((name) => !isPassing(name));
}

function aliasOf({ sender, senderAlias }: Named): string | undefined {
  return senderAlias !== undefined && areOfTwoKinds(sender, senderAlias) ? senderAlias : undefined;
}

function areOfTwoKinds(one: string, other: string): boolean {
  return isPassing(one) !== isPassing(other);
}

function others<C>(all: readonly C[], one: C | undefined): C[] {
  return all.filter((each) => each !== one);
}
