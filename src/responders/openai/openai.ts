import type { FullReply, Usage } from "../../model/reply.ts";
import type { Responder, Turn } from "../../ports/responder.ts";
import type { AnswerHeaders } from "../../wire/http-call.ts";
import type { RequestBody } from "./body.ts";
import { recordSettings, settingsBy } from "./by-record.ts";
import { callOpenAi } from "./call.ts";
import { check } from "./check.ts";
import { empty, isRefusal } from "./failure.ts";
import { type OpenAiOptions, type OpenAiSettings, settingsFrom } from "./options.ts";
import { EndedPasts } from "./past.ts";
import { requestFor } from "./request.ts";
import { type ModelResponse, readResponse } from "./response.ts";
import { runTools } from "./tools.ts";

/** Answers with a model of OpenAI, through the Responses API. The history comes from lull's own record. */
export function openai(options: OpenAiOptions = {}): Responder {
  const settings = settingsFrom(options, process.env);
  const byRecord = recordSettings(options, (own) => settingsFrom(own, process.env));
  const ended = new EndedPasts();
  const respond = async (turn: Turn) =>
    answer(settingsBy(settings, byRecord, turn.conversation), ended, turn);
  return Object.assign(respond, {
    readsHistory: settings.historyMessagesMax !== 0,
    check: (signal: AbortSignal) => check(settings, byRecord.apiKeys, signal),
  });
}

/**
 * Asks, runs the tools the model calls, and asks again with what they returned, until it answers in words.
 */
async function answer(settings: OpenAiSettings, ended: EndedPasts, turn: Turn): Promise<FullReply> {
  let request = await requestFor(settings, ended, turn);
  let spent: Usage | undefined;
  for (let round = 0; ; round += 1) {
    const mustAnswer = round >= settings.toolRoundsMax;
    const asked = await askOnward(settings, ended, request, turn, mustAnswer);
    const { headers, response } = asked;
    spent = sum(spent, response.usage);
    if (mustAnswer || response.calls.length === 0) {
      if (response.text === "") throw empty(headers, response.cutOffBy);
      return { text: response.text, ...(spent && { usage: spent }) };
    }
    const outputs = await runTools(settings.tools, response.calls, turn);
    request = { ...asked.request, input: [...asked.request.input, ...response.output, ...outputs] };
  }
}

interface Asked {
  readonly headers: AnswerHeaders;
  readonly response: ModelResponse;
}

/**
 * Without the response from before, where OpenAI refuses to go on from it: it is kept for 30 days, and only
 * in its own project. A customer who moved in is answered all the same.
 */
async function askOnward(
  settings: OpenAiSettings,
  ended: EndedPasts,
  request: RequestBody,
  turn: Turn,
  mustAnswer: boolean,
): Promise<Asked & { readonly request: RequestBody }> {
  const { previous_response_id: past, ...alone } = request;
  try {
    return { request, ...(await ask(settings, request, turn.signal, mustAnswer)) };
  } catch (error) {
    if (typeof past !== "string" || !isRefusal(error)) throw error;
    const asked = await ask(settings, alone as RequestBody, turn.signal, mustAnswer);
    ended.tell(turn, past, "OPENAI_PAST_GONE");
    return { request: alone as RequestBody, ...asked };
  }
}

async function ask(
  settings: OpenAiSettings,
  request: RequestBody,
  signal: AbortSignal,
  mustAnswer: boolean,
): Promise<Asked> {
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
