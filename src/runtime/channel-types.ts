import { isHarmless } from "../schema/problems.ts";
import { didYouMean } from "../schema/suggest.ts";

/** Types of the channels that come with Lull: one may be allowed before it has a channel. */
const OWN_TYPES = ["whatsapp", "sms", "web"];

/** Why this is no list of channel types. A type that is misspelt would mute customers without a word. */
export function channelTypeProblem(
  given: readonly string[],
  channels: Readonly<Record<string, { readonly type: string }>>,
): string | undefined {
  const known = [...new Set([...Object.values(channels).map(({ type }) => type), ...OWN_TYPES])];
  const unknown = given.find((type) => !known.includes(type));
  if (unknown === undefined) return undefined;
  const told = isHarmless(unknown, known) ? unknown : "one of them";
  return `${told} is no type of channel; there are ${known.join(", ")}${didYouMean(unknown, known)}`;
}
