import { createHash } from "node:crypto";
import { isFailureNotice } from "../../core/notices.ts";
import type { HistoryMessage } from "../../model/history.ts";
import type { Media } from "../../model/message.ts";
import type { Turn } from "../../ports/responder.ts";
import type { InputItem, RequestBody } from "./body.ts";
import type { OpenAiSettings } from "./options.ts";
import { continued, type EndedPasts } from "./past.ts";
import { describeTools } from "./tools.ts";

/** The first request of a turn. Rounds with tools only add to its `input`. */
export async function requestFor(
  settings: OpenAiSettings,
  ended: EndedPasts,
  turn: Turn,
): Promise<RequestBody> {
  const [instructions, history] = await Promise.all([
    typeof settings.instructions === "function" ? settings.instructions(turn) : settings.instructions,
    settings.historyMessagesMax === 0 ? [] : turn.history(settings.historyMessagesMax),
  ]);
  const { responseId, items } = await continued(settings, ended, turn, history);
  return {
    // The history is our own record, so OpenAI need not keep a second one, and asking again changes nothing
    // anywhere.
    store: false,
    // The id is made with the installation's secret, so a phone number cannot be found by trying all of them.
    safety_identifier: createHash("sha256").update(turn.conversation.id).digest("hex"),
    ...present({
      instructions: instructions || undefined,
      max_output_tokens: settings.maxOutputTokens,
      reasoning: settings.reasoning,
    }),
    model: settings.model,
    ...settings.body,
    ...toolFields(settings),
    ...present({ previous_response_id: responseId }),
    input: [...items, ...history.flatMap(pastItem), currentItem(turn, settings.media)],
  };
}

function toolFields({ tools, body }: OpenAiSettings): Record<string, unknown> {
  const own = describeTools(tools);
  if (own.length === 0) return {};
  return {
    tools: [...own, ...(Array.isArray(body.tools) ? body.tools : [])],
    // With `store: false` only we can carry back what the model thought before it called a tool. A model that
    // does not think refuses this field: `body: { include: [] }` takes it out.
    include: body.include ?? ["reasoning.encrypted_content"],
  };
}

/**
 * Old images are mentioned, never linked: their links expire, and each would be paid for again in every turn.
 */
function pastItem({ role, text, media, author, unanswered }: HistoryMessage): InputItem[] {
  // That an answer is late says nothing of the matter, and a model repeats what it finds it has said.
  if (isFailureNotice({ author })) return [];
  const said = withMentions(text, media);
  const content = unanswered ? [said, UNANSWERED].filter((line) => line !== "").join("\n") : said;
  return content === "" ? [] : [{ role, content }];
}

/** Else the model would take two messages for one, or go on as if it had answered the first. */
const UNANSWERED = "[this got no answer]";

function currentItem(turn: Turn, mode: "mention" | "link"): InputItem {
  const linked = mode === "link" ? turn.media.filter(isOpenImage) : [];
  const rest = turn.media.filter((media) => !linked.includes(media));
  const text = withMentions(turn.text, rest);
  if (linked.length === 0) return { role: "user", content: text || "[a message without text]" };
  const images = linked.map(({ url }) => ({ type: "input_image", image_url: url, detail: "auto" }));
  return { role: "user", content: text === "" ? images : [{ type: "input_text", text }, ...images] };
}

function isOpenImage({ url, contentType }: Media): boolean {
  return contentType.startsWith("image/") && /^(https?:|data:image\/)/i.test(url);
}

function withMentions(text: string, media: readonly Media[]): string {
  return [text, ...media.map(mention)].filter((line) => line !== "").join("\n");
}

function mention({ contentType, name }: Media): string {
  return name === undefined ? `[${contentType} attached]` : `[${contentType} attached: ${name}]`;
}

function present(fields: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}
