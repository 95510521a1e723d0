import type { SecretReference, Secrets } from "../ports/secrets.ts";

/** The parts of a secret's name. */
interface Named {
  /** Partition, region and account, where it is an ARN. */
  readonly place?: string;
  readonly secret: string;
  readonly key?: string;
}

const ARN = /^arn:([^:]+:secretsmanager:[^:]*:[^:]*):secret:(.+)$/;
/** Secrets Manager ends every whole ARN like this. A name may end so as well: `shop-berlin`. */
const SUFFIX = /-[A-Za-z0-9]{6}$/;

/**
 * Those of what is offered that a record means with this name: the one that is called exactly so, else those
 * whose secret it names in another way (by ARN or not, with or without the key within it), else those that it
 * names but for the end of an ARN. If it is more than one, the record does not say which.
 */
export function meantBy<T>(
  id: string,
  offered: readonly T[],
  nameOf: (each: T) => string | undefined,
): readonly T[] {
  const asked = partsOf(id);
  const ways: ((name: string) => boolean)[] = [
    (name) => name === id,
    (name) => isSame(partsOf(name), asked),
    (name) => isWithSuffix(partsOf(name), asked) || isWithSuffix(asked, partsOf(name)),
  ];
  for (const isMeant of ways) {
    const found = offered.filter((each) => {
      const name = nameOf(each);
      return name !== undefined && isMeant(name);
    });
    if (found.length > 0) return found;
  }
  return [];
}

/** The name by which a store of secrets knows it, if it is kept in one. */
export function storedName(
  reference: SecretReference,
  secrets: Pick<Secrets, "nameOf"> | undefined,
): string | undefined {
  if (typeof reference !== "string" && "name" in reference) return reference.name;
  return secrets?.nameOf?.(reference);
}

function partsOf(name: string): Named {
  const [whole = "", key] = name.split("#", 2);
  const [, place, secret = whole] = ARN.exec(whole) ?? [];
  return { secret, ...(place !== undefined && { place }), ...(key !== undefined && { key }) };
}

function isSame(one: Named, other: Named): boolean {
  return one.secret === other.secret && agree(one, other);
}

/** Whether `whole` is an ARN that ends as Secrets Manager makes them, and `bare` the name without that. */
function isWithSuffix(whole: Named, bare: Named): boolean {
  return whole.place !== undefined && whole.secret.replace(SUFFIX, "") === bare.secret && agree(whole, bare);
}

/** Where both say where it is, or which key within it, they have to say the same. */
function agree(one: Named, other: Named): boolean {
  const parts = ["place", "key"] as const;
  return parts.every((part) => (one[part] ?? other[part]) === (other[part] ?? one[part]));
}

/** What may stand in a name (`openai`, `authToken`, `EU2`): longer words, or mixed ones, may be a key. */
const WORD = /^([a-z]{0,20}|[A-Z]{1,20}|[A-Za-z0-9]{1,8}|[A-Za-z][a-z]{1,12}([A-Z][a-z]{1,12}){0,2})$/;
const NAME_LENGTH_MAX = 200;

/**
 * Whether it may be told which secret was named: people also put the secret itself where its name belongs.
 * Names are words.
 */
export function isTellableName(id: string): boolean {
  const words = (ARN.exec(id)?.[2] ?? id).split(/[-/._#:+=@]/);
  return id.length <= NAME_LENGTH_MAX && !/^sk[-_]/i.test(id) && words.every((word) => WORD.test(word));
}
