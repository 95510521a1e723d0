import type { Media } from "../../model/message.ts";
import type { Responder, Turn, TurnMessage } from "../../ports/responder.ts";
import { found } from "../../wire/finding.ts";

/** Says what it heard: for a first run without a key, and to see bursts become one answer. */
export function echo(): Responder {
  const respond = (turn: Turn) => answerTo(turn);
  return Object.assign(respond, { check: async () => [REPEATS] });
}

const REPEATS = found("warn", "echo: it repeats what was said. Set OPENAI_API_KEY or write a lull.config.ts");

function answerTo({ messages }: Turn): string {
  const [first, ...more] = messages.map(heard);
  if (first === undefined) return "I heard nothing.";
  if (more.length === 0) return `You said: ${first}`;
  return [`${messages.length} messages, one answer:`, first, ...more].join("\n");
}

function heard({ text, media }: TurnMessage): string {
  return [text, ...media.map(named)].filter((part) => part !== "").join(" ") || "(nothing I can read)";
}

function named({ name, contentType }: Media): string {
  return `(${name ?? contentType})`;
}
