import { isObject } from "../schema/is-object.ts";

/** What decides whose messages a channel may bring. */
export interface AddressedChannel {
  readonly type: string;
  /** Our addresses that are its own. */
  readonly addresses?: readonly string[];
  /** The setting that names its addresses, for error messages. */
  readonly addressesSetBy?: string;
}

type Channels = Readonly<Record<string, AddressedChannel>>;

/** `whatsapp:+15550100`, `+15550100` and `15550100` are one number, whichever provider writes it. */
export function canonicalAddress(address: string): string {
  const bare = address.trim().replace(/^[a-z]+:/, "");
  return /^\+\d+$/.test(bare) ? bare.slice(1) : bare;
}

/** A number as people and address books write it: `+1 (555) 01-00`. */
const FORMATTED = /^\+?[\d\s().\-/\u00a0\u2010\u2011]+$/;

/** What is set by hand is often pasted with blanks in it; what providers say has none. */
export function withoutFormatting(number: string): string {
  return FORMATTED.test(number) ? number.replace(/[^+\d]/g, "") : number;
}

export function isSameAddress(one: string, other: string): boolean {
  return canonicalAddress(one) === canonicalAddress(other);
}

export function isAmong(address: string, addresses: readonly string[]): boolean {
  const wanted = canonicalAddress(address);
  return addresses.some((each) => canonicalAddress(each) === wanted);
}

/**
 * Our address in a conversation's row that another system wrote: the first of these that says one. Webhooks
 * and a move find the same.
 */
export function foreignAddressIn(row: Readonly<Record<string, unknown>>): string | undefined {
  const config = isObject(row.channel_config) ? row.channel_config : {};
  const written = [row.address, config.sender, config.whatsapp_sender, config.from];
  return written.find((each): each is string => typeof each === "string" && each !== "");
}

/**
 * Why these channels must not be configured together. A conversation is one person at one of our addresses
 * over one type of channel, and the address comes from what the provider sends. Where several channels share
 * a type, each must name its own addresses; otherwise a caller of one channel could write to the customers of
 * another.
 */
export function addressProblem(channels: Channels): string | undefined {
  for (const names of namesByType(channels)) {
    const nameless = names.find((name) => ownOf(channels, name).length === 0);
    if (names.length > 1 && nameless !== undefined) return mustSay(channels, names, nameless);
    const problem = sharedIn(channels, names);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

/**
 * Whether a channel may bring messages for this address: one that it names, or any if it names none and is
 * the only channel of its type.
 */
export function mayBring(channels: Channels, name: string, address: string): boolean {
  const own = ownOf(channels, name);
  if (own.length > 0) return isAmong(address, own);
  return !namesByType(channels).some((names) => names.length > 1 && names.includes(name));
}

function mustSay(channels: Channels, names: readonly string[], nameless: string): string {
  const { type, addressesSetBy = "its `addresses`" } = channels[nameless]!;
  const clash = `channels ${names.join(", ")} are of one type, ${type}`;
  const why = `${clash}, so each has to say which addresses are its own`;
  return `${why}: set ${addressesSetBy} of channel ${nameless}`;
}

function sharedIn(channels: Channels, names: readonly string[]): string | undefined {
  for (const [at, name] of names.entries()) {
    for (const address of ownOf(channels, name)) {
      const other = names.slice(at + 1).find((each) => isAmong(address, ownOf(channels, each)));
      const why = "their visitors would be the same people";
      if (other !== undefined)
        return `channels ${name} and ${other} have the same address ${address}: ${why}`;
    }
  }
  return undefined;
}

function namesByType(channels: Channels): string[][] {
  return [...Map.groupBy(Object.keys(channels), (name) => channels[name]!.type).values()];
}

function ownOf(channels: Channels, name: string): readonly string[] {
  return channels[name]?.addresses ?? [];
}
