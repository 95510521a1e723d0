import {
  type FakeReply,
  type FakeRequest,
  type FakeServer,
  fakeServer,
  jsonReply,
} from "../../src/testing/fake-server.ts";

/** Who said what, in the words of every vendor: instructions are left out. */
export type Said = readonly (readonly [role: string, text: string])[];

interface Item {
  readonly role?: string;
  readonly content?: string | readonly { readonly text?: string }[];
}

interface Asked {
  readonly model: string;
  readonly input?: readonly Item[];
  readonly messages?: readonly Item[];
}

export const ANSWER = "A table for two. At what time?";
const USAGE = { input_tokens: 10, output_tokens: 3, total_tokens: 13 };

/** What each vendor answers at its own path. */
const ANSWERS: Readonly<Record<string, (model: string) => object>> = {
  "/v1/responses": (model) => ({
    id: "resp_1",
    object: "response",
    created_at: 1_794_718_800,
    status: "completed",
    error: null,
    incomplete_details: null,
    model,
    output: [
      {
        id: "msg_1",
        type: "message",
        role: "assistant",
        status: "completed",
        content: [{ type: "output_text", text: ANSWER, annotations: [] }],
      },
    ],
    usage: {
      ...USAGE,
      input_tokens_details: { cached_tokens: 0 },
      output_tokens_details: { reasoning_tokens: 0 },
    },
  }),
  "/v1/chat/completions": (model) => ({
    id: "chatcmpl_1",
    object: "chat.completion",
    created: 1_794_718_800,
    model,
    choices: [
      { index: 0, finish_reason: "stop", logprobs: null, message: { role: "assistant", content: ANSWER } },
    ],
    usage: { prompt_tokens: 10, completion_tokens: 3, total_tokens: 13 },
  }),
  "/v1/messages": (model) => ({
    id: "msg_1",
    type: "message",
    role: "assistant",
    model,
    content: [{ type: "text", text: ANSWER }],
    stop_reason: "end_turn",
    stop_sequence: null,
    usage: USAGE,
  }),
  "/api/chat": (model) => ({
    model,
    created_at: "2026-11-15T05:00:00Z",
    message: { role: "assistant", content: ANSWER },
    done: true,
    done_reason: "stop",
  }),
};

/** OpenAI's two protocols, Anthropic's and Ollama's on the loopback interface. */
export function fakeModels(): FakeServer {
  return fakeServer({
    handle: ({ method, path, body }): FakeReply => {
      const answer = method === "POST" ? ANSWERS[path] : undefined;
      if (answer === undefined) return jsonReply(404, { error: { message: `no ${method} ${path} here` } });
      return jsonReply(200, answer((JSON.parse(body) as Asked).model));
    },
    refuse: ({ status }) => jsonReply(status, { error: { message: `error ${status}`, type: "error" } }),
  });
}

/** What a model was shown. */
export function saidIn({ body }: FakeRequest): Said {
  const { input, messages } = JSON.parse(body) as Asked;
  return (input ?? messages ?? []).flatMap(({ role = "", content = "" }) => {
    const text = typeof content === "string" ? content : content.map((part) => part.text ?? "").join("");
    return role === "user" || role === "assistant" ? [[role, text] as const] : [];
  });
}
