/** A message as Twilio keeps it. */
export interface FakeTwilioMessage {
  /** Twilio's id. */
  readonly sid: string;
  /** Whose it is. */
  readonly accountSid: string;
  /** `inbound` from customers, the others from you. */
  readonly direction: "inbound" | "outbound-api" | "outbound-reply";
  /** `+15550100`, or `whatsapp:+15550100`. */
  readonly from: string;
  /** As `from`. */
  readonly to: string;
  /** The text. */
  readonly body: string;
  /** What goes along. */
  readonly mediaUrls: readonly string[];
  /** Where its sender wants to hear what becomes of it. */
  readonly statusCallback?: string;
  /** The Messaging Service that it was sent through. */
  readonly messagingServiceSid?: string;
  /** When Twilio took it. */
  readonly createdAtMs: number;
  /** Missing while a message waits in Twilio's queue. */
  readonly sentAtMs?: number;
}

/** What a customer writes, for `FakeTwilio.webhook`. */
export interface FakeTwilioInbound {
  /** What Twilio was told to post to, with `publicUrl` where there is one: it is part of what is signed. */
  readonly url: string;
  /** `+15550123` for SMS, `whatsapp:+15550123` for WhatsApp. */
  readonly from: string;
  /** Your number, in the same form. */
  readonly to: string;
  /** What is said. */
  readonly text?: string;
  /** Pictures, voice and files. */
  readonly media?: readonly { readonly url: string; readonly contentType: string }[];
  /** Fields of the webhook, over those of a message. */
  readonly params?: Readonly<Record<string, string>>;
}
