/** Something attached to a message. The URL may need the channel's credentials: see `Channel.fetchMedia`. */
export interface Media {
  readonly url: string;
  readonly contentType: string;
  readonly name?: string;
}

/** One inbound item, as a channel's `parse` gives it. */
export interface InboundMessage {
  /** The provider's id. With the channel and the account it is the dedupe key. */
  readonly providerId: string;
  /** The receiving account at the provider (a Twilio account SID, a WATI tenant). */
  readonly account: string;
  /** The address that was written to, without channel prefixes: our number, our mailbox. */
  readonly address: string;
  /** The business-scoped user id if there is one, else the phone or mail address without prefixes. */
  readonly sender: string;
  /**
   * Another name of the same person, which is looked up too: the phone if `sender` is a business-scoped id.
   * It counts only if one of the two is a telephone number or a mail address, which may change hands, and the
   * other is neither.
   */
  readonly senderAlias?: string;
  /** What `send` is given to answer this person, exactly as the provider wants it. */
  readonly replyTo: string;
  readonly text: string;
  readonly media: readonly Media[];
  /** The provider's own time, if it sends one. It orders a batch; windows never use it. */
  readonly sentAtMs?: number;
  /** What else the provider sent: profile name, button payload, location, quoted message. */
  readonly fields?: Readonly<Record<string, string>>;
}

/** A message that has arrived: parsed, stamped with our time and its place in the payload. */
export interface Arrival extends InboundMessage {
  /** Name of the channel in the configuration. */
  readonly channel: string;
  readonly arrivedAtMs: number;
  readonly position: number;
}

/** A message that is durably written and waits for its turn. */
export interface StagedMessage extends Arrival {
  /** The dedupe key as one string. */
  readonly id: string;
  /** Order of staging, as far as the store knows one. */
  readonly sequence: number;
}

/** What the provider says became of a message that we sent. */
export interface DeliveryStatus {
  readonly account: string;
  /** Provider's id of the outbound message. */
  readonly providerId: string;
  /** The provider's own word: `sent`, `delivered`, `read`, `failed`, ... */
  readonly status: string;
  readonly errorCode?: string;
  /** Our address that sent it, if known: a callback for one address confirms no send of another. */
  readonly address?: string;
  /** The chunk and its turn, if the callback carries them back. */
  readonly chunk?: ChunkReference;
}

export interface ChunkReference {
  readonly turnId: string;
  readonly chunk: number;
}
