import type { FullReply, Usage } from "../../model/reply.ts";
import type { Responder, Turn } from "../../ports/responder.ts";
import type { AnswerHeaders } from "../../wire/http-call.ts";
import { callOpenAi } from "./call.ts";
import { empty } from "./failure.ts";
import { type OpenAiOptions, type OpenAiSettings, settingsFrom } from "./options.ts";
import { type RequestBody, requestFor } from "./request.ts";
import { type ModelResponse, readResponse } from "./response.ts";
import { runTools } from "./tools.ts";

/** Answers with a model of OpenAI, through the Responses API. The history comes from lull's own record. */
export function openai(options: OpenAiOptions = {}): Responder {
  const settings = settingsFrom(options, process.env);
  const respond = (turn: Turn) => answer(settings, turn);
  return Object.assign(respond, { readsHistory: settings.historyMessagesMax !== 0 });
}

/**
 * Asks, runs the tools the model calls, and asks again with what they returned, until it answers in words.
 */
async function answer(settings: OpenAiSettings, turn: Turn): Promise<FullReply> {
  let request = await requestFor(settings, turn);
  let spent: Usage | undefined;
  for (let round = 0; ; round += 1) {
    const mustAnswer = round >= settings.toolRoundsMax;
    const { headers, response } = await ask(settings, request, turn.signal, mustAnswer);
    spent = sum(spent, response.usage);
    if (mustAnswer || response.calls.length === 0) {
      if (response.text === "") throw empty(headers, response.cutOffBy);
      return { text: response.text, ...(spent && { usage: spent }) };
    }
    const outputs = await runTools(settings.tools, response.calls, turn);
    request = { ...request, input: [...request.input, ...response.output, ...outputs] };
  }
}

async function ask(
  settings: OpenAiSettings,
  request: RequestBody,
  signal: AbortSignal,
  mustAnswer: boolean,
): Promise<{ headers: AnswerHeaders; response: ModelResponse }> {
  // Forbidding tools at the limit turns "too many rounds" into an answer from what the model has learnt so
  // far.
  const body = mustAnswer && "tools" in request ? { ...request, tool_choice: "none" } : request;
  const reply = await callOpenAi(settings, body, signal);
  return { headers: reply.headers, response: readResponse(reply) };
}

function sum(a: Usage | undefined, b: Usage | undefined): Usage | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return {
    promptTokens: a.promptTokens + b.promptTokens,
    completionTokens: a.completionTokens + b.completionTokens,
    totalTokens: a.totalTokens + b.totalTokens,
  };
}
