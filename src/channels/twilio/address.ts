const PREFIX = /^[a-z]+:/;

/** `whatsapp:+15550100` is `+15550100` to conversations, rules and people. */
export function bare(address: string): string {
  return address.replace(PREFIX, "");
}

/** Puts the channel's prefix before an address that has none. */
export function prefixed(address: string, prefix: string): string {
  return PREFIX.test(address) ? address : `${prefix}${address}`;
}

/** `From` must be of the same kind as `To`, so it takes its prefix from there. */
export function prefixOf(address: string): string {
  return PREFIX.exec(address)?.[0] ?? "";
}
