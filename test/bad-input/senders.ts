import { createHash, createHmac } from "node:crypto";
import fc from "fast-check";
import { twilio } from "../../src/channels/twilio/index.ts";
import { isCutElsewhere } from "../../src/channels/twilio/recut.ts";
import { wati } from "../../src/channels/wati/index.ts";
import { web } from "../../src/channels/web/index.ts";
import type { Channel, WebhookRequest } from "../../src/ports/channel.ts";
import { hostile, legible, payloadsOf } from "./mutated.ts";
import { nastyObject, nastyText } from "./nasty-json.ts";

export const PUBLIC_URL = "https://bot.example.com";
const ACCOUNT = "AC00000000000000000000000000000001";
const SECRET = "the-right-secret";
/** No server listens there. */
const NOWHERE = "http://127.0.0.1:9";

/** A webhook on its way to one channel. */
export type Delivery = Pick<WebhookRequest, "headers" | "body"> & { readonly target: string };

/** A provider: what it may send, and how it proves that it is who it says it is. */
export interface Sender {
  readonly name: string;
  readonly channel: () => Channel;
  readonly body: fc.Arbitrary<Buffer>;
  /** What follows the channel's name in the URL. */
  readonly suffix: fc.Arbitrary<string>;
  /** Undefined where there is nothing in the body that could be proven. */
  readonly prove?: (target: string, body: Buffer, secret?: string) => Delivery | undefined;
}

const id = fc.uuid();
const phone = fc.integer({ min: 10_000, max: 99_999 }).map((n) => `503700${n}`);
const fileUrl = fc
  .constantFrom("jpg", "constructor", "PDF", "toString", "")
  .map((ext) => `https://f.example/a.${ext}`);

const WEB_FIELDS = {
  id,
  sender: fc.constantFrom("visitor-0001", "shop/visitor 7", "ñandú-😀-visitor"),
  text: nastyText,
  media: fc.array(fc.record({ url: fileUrl, content_type: fc.constant("image/png") }), { maxLength: 12 }),
  sent_at: fc.oneof(fc.integer(), fc.double(), fc.constantFrom("2026-11-15T05:00:00.123Z", "1e300", 1e300)),
};

const WATI_FIELDS = {
  id,
  whatsappMessageId: id,
  eventType: fc.constantFrom(
    "message",
    "message",
    "message_bsuid",
    "sentMessageDELIVERED_v2",
    "sessionMessageFailed",
  ),
  localMessageId: fc.constantFrom("lull.turn-1.0", "lull.a.b.7", "lull..", `lull.t.${"9".repeat(400)}`, "x"),
  waId: phone,
  bsuid: fc.constantFrom("SV.1", "", null),
  text: nastyText,
  type: fc.constantFrom("text", "image", "constructor", "__proto__"),
  data: fileUrl,
  timestamp: fc.constantFrom("1794718800", 1_794_718_800, "1e300", 1e300, "-1"),
  created: fc.constantFrom("2026-11-15T05:00:00.123Z", "+275760-09-13T00:00:00.001Z", "yesterday"),
  owner: fc.boolean(),
  listReply: fc.record({ title: nastyText, id }),
  channelPhoneNumber: phone,
  failedCode: fc.constantFrom(131047, "131047"),
};

const FORM_KEYS = [
  "AccountSid",
  "From",
  "To",
  "MessageSid",
  "Body",
  "ButtonText",
  "ExternalUserId",
  "MessageStatus",
  "ErrorCode",
  "MediaUrl0",
  "MediaUrl1",
  "MediaContentType0",
  "ProfileName",
  "WaId",
  "__proto__",
  "constructor",
];
const formValue = fc.oneof(
  nastyText,
  fc.constantFrom(ACCOUNT, "whatsapp:", "whatsapp:+50370000001", "whatsapp:whatsapp:", "SM1", "delivered"),
);
/** Forms that come near the real ones: the right account, then anything, some of it twice. */
const form = fc.array(fc.tuple(fc.constantFrom(...FORM_KEYS), formValue), { maxLength: 12 }).map((pairs) => {
  const complete: [string, string][] = [
    ["AccountSid", ACCOUNT],
    ["MessageSid", `SM${"1".repeat(32)}`],
    ["From", "whatsapp:+1"],
    ["To", "whatsapp:+2"],
  ];
  return legible(
    Buffer.from(new URLSearchParams([...pairs.slice(0, 6), ...complete, ...pairs.slice(6)]).toString()),
  );
});

const JSON_FORM = {
  AccountSid: fc.constant(ACCOUNT),
  MessageSid: fc.constant(`SM${"1".repeat(32)}`),
  From: fc.constantFrom("+50370000001", "whatsapp:"),
  To: fc.constant("+14155238886"),
  Body: nastyText,
  MediaUrl0: fileUrl,
};

const asBuffer = (text: fc.Arbitrary<string>) => text.map((each) => legible(Buffer.from(each)));
const plain = fc.constant("");
const JSON_TYPE = { "content-type": "application/json" };
const FORM_TYPE = { "content-type": "application/x-www-form-urlencoded" };

export const SENDERS: readonly Sender[] = [
  {
    name: "whatsapp",
    channel: () => twilio.whatsapp({ accountSid: ACCOUNT, authToken: SECRET, apiUrl: NOWHERE }),
    body: fc.oneof(hostile(payloadsOf("twilio")), form),
    suffix: fc.constantFrom(
      "",
      "",
      "?n=turn-1.0",
      "?n=..",
      `?n=t.${"9".repeat(400)}`,
      "?n=%00.1&x=%zz",
      "/",
      "?",
    ),
    prove: twilioProof,
  },
  {
    name: "sms",
    channel: () => twilio.sms({ accountSid: ACCOUNT, authToken: SECRET, apiUrl: NOWHERE }),
    body: asBuffer(nastyObject(JSON_FORM, 6)),
    suffix: plain,
    prove: twilioJsonProof,
  },
  {
    name: "wati",
    // A type of its own: beside Twilio's it would take only messages for its own numbers, and here every
    // address is tried.
    channel: () =>
      Object.assign(wati({ apiUrl: `${NOWHERE}/t1`, token: "x", webhookSecret: SECRET }), { type: "wati" }),
    body: fc.oneof(hostile(payloadsOf("wati")), asBuffer(nastyObject(WATI_FIELDS))),
    suffix: fc.constantFrom("", "?x=%zz"),
    prove: (target, body, secret = SECRET) => ({
      target,
      body,
      headers: { ...JSON_TYPE, "x-wati-secret": secret },
    }),
  },
  {
    name: "web",
    channel: () => web({ unsigned: true }),
    body: fc.oneof(hostile(payloadsOf("web")), asBuffer(nastyObject(WEB_FIELDS))),
    suffix: plain,
  },
  {
    name: "shop",
    channel: () => web({ secret: SECRET, address: "shop" }),
    body: fc.oneof(hostile(payloadsOf("web")), asBuffer(nastyObject(WEB_FIELDS))),
    suffix: plain,
    prove: webProof,
  },
];

/** As Twilio documents it, written again: the URL, then each key with its values, all sorted. */
function twilioProof(target: string, body: Buffer, secret = SECRET): Delivery | undefined {
  const pairs = new URLSearchParams(body.toString());
  if (pairs.get("AccountSid") !== ACCOUNT) return undefined;
  const keys = [...new Set(pairs.keys())].sort();
  const signed = keys
    .flatMap((key) => [...new Set(pairs.getAll(key))].sort().map((value) => key + value))
    .join("");
  // A form that could be cut in another way is refused: `recut.test.ts` has the ways.
  const form = new Map(keys.map((key) => [key, pairs.getAll(key)]));
  if (isCutElsewhere(`${target.split("?")[1] ?? ""}${signed}`, form)) return undefined;
  const signature = createHmac("sha1", secret).update(`${PUBLIC_URL}${target}${signed}`).digest("base64");
  return { target, body, headers: { ...FORM_TYPE, "x-twilio-signature": signature } };
}

/** A JSON body is vouched for by its hash in the URL, which is what is signed then. */
function twilioJsonProof(target: string, body: Buffer, secret = SECRET): Delivery | undefined {
  if (fieldIn(body, "AccountSid") !== ACCOUNT) return undefined;
  const hashed = `${target}?bodySHA256=${createHash("sha256").update(body).digest("hex")}`;
  const signature = createHmac("sha1", secret).update(`${PUBLIC_URL}${hashed}`).digest("base64");
  return { target: hashed, body, headers: { ...JSON_TYPE, "x-twilio-signature": signature } };
}

function webProof(target: string, body: Buffer, secret = SECRET): Delivery | undefined {
  const sender = fieldIn(body, "sender");
  if (sender === undefined) return undefined;
  const signature = createHmac("sha256", secret).update(sender).digest("hex");
  return { target, body, headers: { ...JSON_TYPE, "x-lull-signature": signature } };
}

function fieldIn(body: Buffer, name: string): string | undefined {
  try {
    const value = JSON.parse(body.toString())?.[name];
    return typeof value === "string" ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Every way to claim a name without knowing the secret. */
export function forgeries(sender: Sender, target: string, body: Buffer, noise: string): Delivery[] {
  const proofs = [
    sender.prove?.(target, body, ""),
    sender.prove?.(target, body, "another-secret"),
    // The proof of another message, or of the same one at another place.
    sender.prove?.(target, Buffer.from(JSON.stringify({ sender: "another-one" }))),
    sender.prove?.(`${target}?elsewhere`, Buffer.concat([body, Buffer.from("&Body=other")])),
  ];
  const names = ["x-twilio-signature", "x-wati-secret", "x-lull-signature", "authorization"];
  return [
    ...proofs.flatMap((proof) =>
      proof === undefined || isProof(sender, target, body, proof) ? [] : [proof.headers],
    ),
    ...names.map((name) => ({ [name]: noise })),
    {},
  ].map((headers) => ({ target, body, headers }));
}

function isProof({ prove }: Sender, target: string, body: Buffer, { headers }: Delivery): boolean {
  return JSON.stringify(prove?.(target, body)?.headers) === JSON.stringify(headers);
}
