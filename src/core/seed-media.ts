import { isObject } from "../schema/is-object.ts";

type Fields = Readonly<Record<string, unknown>>;

export interface SeedMedium {
  readonly url: string;
  readonly type?: string;
}

export interface SeedMedia {
  readonly found: readonly SeedMedium[];
  /** How many there are by what the row says, whether their addresses can be read or not. */
  readonly said: number;
}

/** `media_url0`, `media_url_0`, `MediaUrl0`, and the type beside it. */
const URL_NAME = /^mediaurl(\d+)$/;
const TYPE_NAME = /^mediacontenttype(\d+)$/;
/** Names under which lists of media, or a single one, are written. */
const LISTS = ["media", "mediaurl", "mediaurls", "mediaitems", "medialist", "attachments"];
/** And types in an order of their own. */
const TYPES = ["mediacontenttype", "mediacontenttypes", "mediatypes", "contenttypes"];
/** What an entry calls its address, and its type. */
const ENTRY_URLS = ["url", "mediaurl", "uri", "href", "link"];
const ENTRY_TYPES = ["contenttype", "mediacontenttype", "mimetype", "mime", "type"];
const ADDRESS = /^[a-z][a-z\d+.-]*:\S+$/i;
const NOTHING = /^(?:0|no|none|null|false)?$/i;

/**
 * The media of one message, in whichever of its places has most of them: a row may hold the same ones as the
 * message, as its context and as it came, and which are the same cannot be told.
 */
export function mediaIn(places: readonly Fields[]): SeedMedia {
  const read = places.flatMap(mediaOf);
  const most = Math.max(...read.map(({ found }) => found.length));
  const { found } = read.find((each) => each.found.length === most)!;
  return { found, said: Math.max(...read.map(({ said }) => said)) };
}

function mediaOf(fields: Fields): SeedMedia[] {
  const named = new Map(Object.entries(fields).map(([name, value]) => [plain(name), value]));
  const types = TYPES.flatMap((name) => entriesOf(named.get(name)));
  const lists = LISTS.map((name) => {
    const entries = entriesOf(named.get(name));
    const found = entries.flatMap((entry, at) => mediumOf(entry, types[at]) ?? []);
    return { found, said: entries.length };
  });
  return [{ found: [], said: Number(named.get("nummedia")) || 0 }, numberedIn(named), ...lists];
}

/** A gap may be where one could not be fetched: the others are media all the same. */
function numberedIn(named: ReadonlyMap<string, unknown>): SeedMedia {
  const types = new Map([...named].map(([name, value]) => [TYPE_NAME.exec(name)?.[1], value]));
  const numbered = [...named].flatMap(([name, value]) => {
    const number = URL_NAME.exec(name)?.[1];
    return number === undefined || isNothing(value) ? [] : [{ number, value }];
  });
  const inOrder = numbered.toSorted((a, b) => Number(a.number) - Number(b.number));
  const found = inOrder.flatMap(({ number, value }) => mediumOf(value, types.get(number)) ?? []);
  return { found, said: numbered.length };
}

/** Of a list, a set, a list as JSON, or of an object that holds one instead of being one. */
function entriesOf(value: unknown): unknown[] {
  if (isNothing(value)) return [];
  if (typeof value === "string") {
    const parsed = parsedFrom(value);
    return parsed === undefined ? [value] : entriesOf(parsed);
  }
  if (value instanceof Set) return entriesOf([...value]);
  if (Array.isArray(value)) return value.filter((each) => !isNothing(each));
  if (isObject(value) && textIn(value, ENTRY_URLS) === undefined) return entriesOf(Object.values(value));
  return [value];
}

function mediumOf(entry: unknown, type: unknown): SeedMedium | undefined {
  const url = isObject(entry) ? textIn(entry, ENTRY_URLS) : entry;
  const said = (isObject(entry) ? textIn(entry, ENTRY_TYPES) : undefined) ?? type;
  if (typeof url !== "string" || !ADDRESS.test(url)) return undefined;
  return { url, ...(typeof said === "string" && said.includes("/") && { type: said }) };
}

function textIn(fields: Fields, names: readonly string[]): string | undefined {
  const texts = Object.entries(fields).filter(([, value]) => typeof value === "string" && value !== "");
  const named = new Map(texts.map(([name, value]) => [plain(name), value as string]));
  return names.map((name) => named.get(name)).find((value) => value !== undefined);
}

function isNothing(value: unknown): boolean {
  if (typeof value === "string") return NOTHING.test(value.trim());
  return value === undefined || value === null || value === false || value === 0;
}

function parsedFrom(text: string): unknown {
  try {
    const parsed: unknown = JSON.parse(text);
    return typeof parsed === "object" && parsed !== null ? parsed : undefined;
  } catch {
    return undefined;
  }
}

function plain(name: string): string {
  return name.replaceAll("_", "").toLowerCase();
}
