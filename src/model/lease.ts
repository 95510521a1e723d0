/** The expiring right to work on a conversation. `token` says who is right, `untilAtMs` only when to try. */
export interface Lease {
  readonly conversationId: string;
  readonly token: string;
  readonly untilAtMs: number;
}
