import { type Environments, type Outside, PUBLIC_URL, WATI_NUMBER, WATI_TOKEN } from "./outside.ts";

/** Those who write, and those who are written to. */
type Parties = Pick<Outside, "twilio" | "wati" | "write" | "post">;

/** A way in for customers, and out for replies. */
export interface Door {
  /** For titles. */
  readonly how: string;
  readonly environment: Environments;
  /** Customer `customer` writes. Returns the status that the provider would see. */
  write(at: Parties, customer: number, text: string): Promise<number>;
  whenSent(at: Parties, count: number): Promise<void>;
  sent(at: Parties): { readonly to: string; readonly text: string }[];
}

export const throughTwilio: Door = {
  how: "",
  environment: {},
  write: async (at, customer, text) => (await at.write(customer, text)).status,
  whenSent: ({ twilio }, count) => twilio.whenSent(count),
  sent: ({ twilio }) => twilio.sent.map(({ to, body }) => ({ to, text: body })),
};

export const PASSKEY = "a-passkey-of-sixteen-letters";

/** As WATI called the bot before: at its own path, with its passkey. */
export const throughWati: Door = {
  how: ", through WATI at the old path",
  environment: ({ wati }) => ({
    // Its number is WATI's now.
    TWILIO_WHATSAPP_FROM: "",
    WATI_API_URL: `${wati.url}/100001`,
    WATI_TOKEN,
    WATI_WEBHOOK_SECRET: PASSKEY,
    WATI_NUMBERS: WATI_NUMBER,
    LULL_ALIASES: "/webhook=wati",
    LULL_PUBLIC_URL: PUBLIC_URL,
  }),
  async write(at, customer, text) {
    const { id, whatsappMessageId, waId, createdAtMs } = at.wati.add({
      waId: `503700${String(customer).padStart(5, "0")}`,
      text,
      owner: false,
    });
    const created = new Date(createdAtMs).toISOString();
    const message = { eventType: "message", id, whatsappMessageId, waId, text, type: "text", owner: false };
    const body = JSON.stringify({ ...message, created, channelPhoneNumber: WATI_NUMBER });
    return (await at.post(`/webhook?passkey=${PASSKEY}`, { body })).status;
  },
  whenSent: ({ wati }, count) => wati.whenSent(count),
  sent: ({ wati }) => wati.sent.map(({ waId, text }) => ({ to: waId, text })),
};
