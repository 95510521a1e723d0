import type { Media } from "./message.ts";

export interface UnknownSend {
  readonly id: string;
  readonly conversationId: string;
  readonly turnId: string;
  readonly chunk: number;
  readonly channel: string;
  readonly to: string;
  /** Our address; not known of those that an older version left. */
  readonly from?: string;
  readonly text: string;
  readonly media?: readonly Media[];
  readonly atMs: number;
}
