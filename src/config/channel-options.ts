import type { TwilioOptions } from "../channels/twilio/index.ts";
import type { WatiOptions } from "../channels/wati/index.ts";
import type { WebOptions } from "../channels/web/index.ts";
import { either, object, optional, options, record } from "../schema/schema.ts";
import { COUNT, type SchemaOf, SECRET, TEXT, TEXTS, URL_KIND, YES_NO } from "./kinds.ts";

const ACCOUNT = object({ authToken: SECRET, from: TEXTS, credentialsId: optional(TEXT) });

/** What a file may say of a channel, by provider: `{ "twilio": "whatsapp", "from": "+15550100" }`. */
export const CHANNEL_OPTIONS = {
  twilio: options({
    from: TEXTS,
    accountSid: TEXT,
    authToken: SECRET,
    accounts: record(either(SECRET, ACCOUNT)),
    apiKey: object({ sid: TEXT, secret: SECRET }),
    messagingServiceSid: TEXT,
    apiUrl: URL_KIND,
    textMax: COUNT,
    bodyBytesMax: COUNT,
  } satisfies SchemaOf<TwilioOptions>),
  wati: options({
    apiUrl: URL_KIND,
    token: SECRET,
    webhookSecret: SECRET,
    account: TEXT,
    numbers: TEXTS,
    bodyBytesMax: COUNT,
  } satisfies SchemaOf<WatiOptions>),
  web: options({
    secret: SECRET,
    address: TEXT,
    unsigned: YES_NO,
    textLengthMax: COUNT,
  } satisfies SchemaOf<WebOptions>),
};
