/** The last millisecond, before and after 1970, that can be written as a date. */
export const AT_MS_MAX = 8.64e15;

export function isoOf(atMs: number): string {
  return new Date(atMs).toISOString();
}

/** A number from outside may be any number. One that is no date can be stored, but not shown. */
export function isInstant(atMs: number): boolean {
  return Math.abs(atMs) <= AT_MS_MAX;
}

const ISO_WITHOUT_ZONE = /^(\d{4}-\d{2}-\d{2})(?:t|\s+)(\d{2}:\d{2}(?::\d{2}(?:[.,]\d+)?)?)$/i;
/** What `Date.parse` takes for a zone: a name anywhere, an offset behind the time or at the end. */
const ZONE_NAME = /(?<![a-z])(?:z|utc?|gmt|[ecmp][sd]t)(?![a-z])/i;
const OFFSET = /:\d{2}(?:[.,]\d+)?\s*(?:[ap]m)?\s*[+-]\d|:.*\s[+-]\d{2}:?\d{2}$/i;

/**
 * An instant that another program wrote as text. Without a zone it is UTC, whatever its form: `Date.parse`
 * alone reads most of those forms by the zone of the machine, and the same text would be another instant on
 * another machine.
 */
export function instantInText(text: string): number | undefined {
  // What stands in brackets is a remark, to `Date.parse` as well.
  const written = text.replaceAll(/\([^()]*\)/g, " ").trim();
  const [, day, time] = ISO_WITHOUT_ZONE.exec(written) ?? [];
  const atMs = Date.parse(
    day !== undefined && time !== undefined
      ? `${day}T${time.replace(",", ".")}Z`
      : ZONE_NAME.test(written) || OFFSET.test(written)
        ? written
        : `${written} UTC`,
  );
  return Number.isNaN(atMs) ? undefined : atMs;
}
