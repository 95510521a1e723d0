/** Keys under which our rows, and those of earlier systems, name a person. */
const KEYS = [
  "sender",
  "sender_alias",
  "senderAlias",
  "reply_to",
  "replyTo",
  "primary_channel",
  "from",
  "to",
];
/** What channels put before an address. */
const PREFIXES = ["", "whatsapp:", "sms:", "rcs:", "messenger:"];

/**
 * Whether a row that was set aside names one of these people: as a value, under a key that holds such names.
 * A visitor may be called anything (`id`, `text`): searched anywhere, such a name would be in every row.
 */
export function isAbout(raw: string, names: readonly string[]): boolean {
  const texts = [raw, ...hexIn(raw)];
  return names.flatMap(asWritten).some((written) => texts.some((text) => text.includes(written)));
}

/** In a column, or in a record inside one. */
function asWritten(name: string): string[] {
  return KEYS.flatMap((key) =>
    PREFIXES.flatMap((prefix) => {
      const written = `${JSON.stringify(key)}:${JSON.stringify(prefix + name)}`;
      return [written, JSON.stringify(written).slice(1, -1)];
    }),
  );
}

/** Bytes that are no text, or no UTF-8, are kept in hex: most of them can be read all the same. */
function hexIn(raw: string): string[] {
  return [...raw.matchAll(/\{"hex":"([0-9A-F]*)"\}/g)].map(([, hex = ""]) =>
    Buffer.from(hex, "hex").toString("utf8"),
  );
}
