import { withoutFormatting } from "../../core/own-addresses.ts";

const PREFIX = /^[a-z]+:/;

/** `whatsapp:+15550100` is `+15550100` to conversations, rules and people. */
export function bare(address: string): string {
  return address.replace(PREFIX, "");
}

/** A whole number without its `+`. Short codes have six digits at most. */
const DIGITS = /^\d{7,15}$/;

/** As Twilio writes it, however a person did. */
export function canonical(address: string): string {
  const own = withoutFormatting(bare(address.trim()));
  return DIGITS.test(own) ? `+${own}` : own;
}

/** Puts the channel's prefix before an address that has none. */
export function prefixed(address: string, prefix: string): string {
  return PREFIX.test(address) ? address : `${prefix}${address}`;
}

/** `From` must be of the same kind as `To`, so it takes its prefix from there. */
export function prefixOf(address: string): string {
  return PREFIX.exec(address)?.[0] ?? "";
}
