import type { ConfiguredChannel } from "../../../config/channels.ts";
import type { Loaded } from "../../../config/load.ts";
import type { OldMessages } from "../../../migrate/old-messages.ts";
import { type Call, type Options, textOption } from "../../command.ts";
import { table } from "../../output/table.ts";
import { parseSince, relativeTime } from "../../output/times.ts";
import { CommandFailed, UsageError } from "../../usage-error.ts";

/** Of what is left, so many are shown; a program gets all of them. */
const SHOWN_MAX = 20;

/** What every migration takes. */
export const MIGRATION_OPTIONS: Options = {
  apply: { type: "boolean", help: "do it; without it, only what would be done is shown" },
  "dry-run": { type: "boolean", help: "only show it (the default)" },
  channel: { type: "string", value: "NAME", help: "the channel whose messages they are" },
  "newer-than": { type: "string", value: "AGE", help: "leave older messages where they are, unanswered" },
};

export function asksToApply({ options }: Call): boolean {
  if (options.apply === true && options["dry-run"] === true)
    throw new UsageError("--apply and --dry-run: which of the two?");
  return options.apply === true;
}

/** An age such as `10m`, in milliseconds. */
export function ageOption(call: Call, name: "older-than" | "newer-than"): number | undefined {
  const given = textOption(call, name);
  if (given === undefined) return undefined;
  const sinceMs = /^0\s*[a-z]?$/.test(given) ? 0 : parseSince(given, 0);
  if (sinceMs === undefined || sinceMs > 0)
    throw new UsageError(`--${name} must be an age such as 10m, 1h or 0s, not ${given}`);
  return 0 - sinceMs;
}

/** Told with the look: that old messages would be moved and answered, too, and how to leave them. */
export function oldNotes({ count, oldestAtMs = 0 }: OldMessages, nowMs: number): string[] {
  if (count === 0) return [];
  const what = count === 1 ? "1 message" : `${count} messages`;
  return [`${what} came in more than a day ago, the oldest ${relativeTime(oldestAtMs, nowMs)}: ${OLD}`];
}

const OLD =
  "they would be answered now, where the provider lets a reply out that late (WhatsApp: 24 hours). " +
  "--newer-than 1d leaves them";

/** Without the phone page, which commands may look at: no message of a seed is a visitor's. */
export function ownChannels({ channels }: Pick<Loaded, "channels">): readonly ConfiguredChannel[] {
  return channels.filter(({ origin }) => origin !== "lull dev");
}

/** With --channel; it has to be there. */
export function channelNamed(call: Call, channels: readonly ConfiguredChannel[]): string | undefined {
  const given = textOption(call, "channel");
  if (given === undefined || channels.some(({ name }) => name === given)) return given;
  throw new UsageError(`there is no channel ${given}; there are: ${namesOf(channels)}`);
}

function namesOf(channels: readonly ConfiguredChannel[]): string {
  return channels.map(({ name }) => name).join(", ") || "none";
}

/** The channel that was named, or the only one that it can be. */
export function channelFor(
  call: Call,
  channels: readonly ConfiguredChannel[],
  fits: (channel: ConfiguredChannel) => boolean,
  { what, how }: { readonly what: string; readonly how: string },
): string {
  const named = channelNamed(call, channels);
  if (named !== undefined) return named;
  const names = namesOf(channels);
  const [first, ...more] = channels.filter(fits);
  if (first && more.length === 0) return first.name;
  if (first) throw new CommandFailed(`several channels are ${what}: name one with --channel: ${names}`);
  throw new CommandFailed(`no channel is ${what}: ${how}, or name one with --channel; there are: ${names}`);
}

/** A table of counts, and of what is left the first few. */
export function inWords(
  counts: readonly (readonly [what: string, count: number])[],
  left: { readonly head: readonly string[]; readonly rows: readonly (readonly string[])[] },
): string {
  const lines = [
    table(
      ["what", "rows"],
      counts.map(([what, count]) => [what, String(count)]),
    ),
  ];
  if (left.rows.length > 0) {
    const more = left.rows.length - SHOWN_MAX;
    lines.push("", "Left where it is, for a person:", table(left.head, left.rows.slice(0, SHOWN_MAX)));
    if (more > 0) lines.push(`and ${more} more: --json shows all`);
  }
  return lines.join("\n");
}
