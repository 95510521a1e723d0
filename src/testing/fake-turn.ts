import type { Conversation } from "../model/conversation.ts";
import type { Turn, TurnMessage } from "../ports/responder.ts";

/** A turn to ask a responder with, without a runtime. Say what matters to the test; the rest is filled in. */
export function fakeTurn(texts: string | readonly string[], given: Partial<Turn> = {}): Turn {
  const messages = given.messages ?? [texts].flat().map(messageOf);
  return {
    id: "turn-1",
    attempt: 1,
    channel: "web",
    messages,
    text: messages.map(({ text }) => text).join("\n"),
    media: messages.flatMap(({ media }) => media),
    conversation: fakeConversation(),
    history: async () => [],
    note: () => {},
    signal: new AbortController().signal,
    ...given,
  };
}

function messageOf(text: string, index: number): TurnMessage {
  return { id: `message-${index + 1}`, text, media: [], arrivedAtMs: 1_000 + index };
}

export function fakeConversation(given: Partial<Conversation> = {}): Conversation {
  return {
    id: "conversation-1",
    channelType: "web",
    address: "lull",
    sender: "ana",
    status: "processing_reply",
    projectStatus: "active",
    taskComplete: false,
    handedOff: false,
    paused: false,
    attributes: {},
    promptTokens: 0,
    completionTokens: 0,
    totalTokens: 0,
    createdAtMs: 1_000,
    updatedAtMs: 1_000,
    ...given,
  };
}
