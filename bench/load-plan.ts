/** What is posted, to whom and when: the same for every server of a scenario. */
export interface LoadPlan {
  readonly messages: number;
  readonly connections: number;
  /** A multiple of the connections: a conversation keeps to one, so that its messages come in order. */
  readonly conversations: number;
  /** So many messages in a row of each conversation. */
  readonly burst: number;
  /** Messages a second, whatever the server does; as fast as it answers where left out. */
  readonly perSecond?: number;
  /** No message is begun later than this. */
  readonly forMs?: number;
  /** By which messages and conversations are counted, where others came before them; 0 where left out. */
  readonly firstMessage?: number;
  readonly firstConversation?: number;
}

export function conversationOf(message: number, { connections, conversations, burst }: LoadPlan): number {
  const round = Math.floor(Math.floor(message / connections) / burst);
  return (round * connections + (message % connections)) % conversations;
}

export function connectionOf(message: number, { connections }: LoadPlan): number {
  return message % connections;
}

/** How many of the messages are due to be posted after so long. */
export function plannedBy(elapsedMs: number, { messages, perSecond }: LoadPlan): number {
  if (perSecond === undefined) return messages;
  return Math.min(messages, Math.floor((elapsedMs / 1_000) * perSecond) + 1);
}
