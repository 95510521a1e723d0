import { usageOf } from "../../core/reply.ts";
import type { Usage } from "../../model/reply.ts";
import type { InputItem } from "./body.ts";
import type { Answer } from "./call.ts";
import { failedResponse, notAnAnswer } from "./failure.ts";
import type { ToolCall } from "./tools.ts";

/** A response as far as a turn needs it. */
export interface ModelResponse {
  /** What the model said to the customer; empty when it said nothing. */
  readonly text: string;
  readonly calls: readonly ToolCall[];
  /** As it came: with tools, all of it goes back to the model. */
  readonly output: readonly InputItem[];
  readonly usage: Usage | undefined;
  /** Why the answer ends early: `max_output_tokens`, `content_filter`. */
  readonly cutOffBy: string | undefined;
}

/** Reads a 200. Part of an answer is an answer; a failed or unfinished response is an error. */
export function readResponse({ json, headers }: Answer): ModelResponse {
  const { status = "completed" } = json;
  if (status === "failed") throw failedResponse(headers, json.error);
  if (!Array.isArray(json.output) || (status !== "completed" && status !== "incomplete")) {
    throw notAnAnswer("OpenAI answered without a finished response", { status: 200, headers });
  }
  const output = json.output.filter(isRecord);
  const incomplete = status === "incomplete";
  return {
    text: textOf(output),
    // The arguments of a call that was cut off cannot be trusted.
    calls: incomplete ? [] : output.flatMap(toolCall),
    output,
    usage: usageIn(json.usage),
    cutOffBy: incomplete ? reasonOf(json.incomplete_details) : undefined,
  };
}

/**
 * Some models think aloud (`commentary`) before the final answer: the customer gets the answer only, if there
 * is one.
 */
function textOf(output: readonly InputItem[]): string {
  const messages = output.filter((item) => item.type === "message");
  const final = messages.filter((message) => message.phase !== "commentary");
  return spoken(final) || spoken(messages);
}

function spoken(messages: readonly InputItem[]): string {
  const texts = messages.map(({ content }) =>
    Array.isArray(content) ? content.filter(isRecord).map(partText).join("") : "",
  );
  return texts
    .filter((text) => text !== "")
    .join("\n")
    .trim();
}

/** A refusal is worded for the reader, so it is the reply. */
function partText(part: InputItem): string {
  const text = part.type === "output_text" ? part.text : part.type === "refusal" ? part.refusal : "";
  return typeof text === "string" ? text : "";
}

function toolCall(item: InputItem): ToolCall[] {
  if (item.type !== "function_call") return [];
  return [{ id: String(item.call_id), name: String(item.name), arguments: String(item.arguments ?? "") }];
}

function usageIn(usage: unknown): Usage | undefined {
  if (!isRecord(usage)) return undefined;
  const { input_tokens: promptTokens, output_tokens: completionTokens, total_tokens: totalTokens } = usage;
  return usageOf({ promptTokens, completionTokens, totalTokens });
}

function reasonOf(details: unknown): string {
  return isRecord(details) ? String(details.reason) : "unknown";
}

function isRecord(value: unknown): value is InputItem {
  return typeof value === "object" && value !== null;
}
