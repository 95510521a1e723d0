import type { Media } from "./message.ts";

export interface UnknownSend {
  readonly id: string;
  readonly conversationId: string;
  readonly turnId: string;
  readonly chunk: number;
  readonly channel: string;
  readonly to: string;
  /** As in its draft. */
  readonly addressee?: string;
  /** Our address; unknown for records of an older version. */
  readonly from?: string;
  readonly text: string;
  readonly media?: readonly Media[];
  readonly atMs: number;
}
