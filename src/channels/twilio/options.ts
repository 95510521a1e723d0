import type { SecretReference } from "../../ports/secrets.ts";

/** An account's auth token, and which numbers are its own where there are several accounts. */
export type TwilioAccount =
  | SecretReference
  | {
      readonly authToken: SecretReference;
      readonly from: string | readonly string[];
      /**
       * How records of conversations name it (`channel_config.whatsapp_credentials_id`), if that is not the
       * name of its auth token's secret.
       */
      readonly credentialsId?: string;
    };

export interface TwilioOptions {
  /**
   * Our number or numbers, with or without `whatsapp:`; in one string, separated by commas. Webhooks for
   * other numbers are refused. If left out, and no other channel is of the same type, messages for every
   * number of the account are taken. A reply goes out from the number that was written to. Default:
   * TWILIO_WHATSAPP_FROM or TWILIO_SMS_FROM.
   */
  readonly from?: string | readonly string[] | undefined;
  /** Default: TWILIO_ACCOUNT_SID. */
  readonly accountSid?: string | undefined;
  /** Signs webhooks, and sends where there is no `apiKey`. Default: the environment's TWILIO_AUTH_TOKEN. */
  readonly authToken?: SecretReference | undefined;
  /**
   * Several accounts, by account SID, each with its numbers; `from` above are those of `accountSid`. Webhooks
   * of any other account are refused, and so are those of a listed account for numbers that are not its own.
   */
  readonly accounts?: Readonly<Record<string, TwilioAccount>> | undefined;
  /** Sends for `accountSid` in place of its auth token. Webhooks are always signed with the auth token. */
  readonly apiKey?: { readonly sid: string; readonly secret: SecretReference } | undefined;
  /** Sends through a Messaging Service, which chooses the number. */
  readonly messagingServiceSid?: string | undefined;
  /** Default: TWILIO_API_URL, else https://api.twilio.com. */
  readonly apiUrl?: string | undefined;
  /** Longest text of one message. Default 1600, Twilio's limit for WhatsApp too. */
  readonly textMax?: number | undefined;
  /** Bytes of one webhook. Default 65536: larger ones are refused unread. */
  readonly bodyBytesMax?: number | undefined;
}
