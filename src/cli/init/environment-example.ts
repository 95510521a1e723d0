import type { Choices } from "./choices.ts";

interface Variable {
  readonly name: string;
  readonly about: string;
}

const PUBLIC_URL: Variable = {
  name: "LULL_PUBLIC_URL",
  about: "how your provider reaches you, over https: your domain, or a tunnel to this machine",
};
const API_TOKEN: Variable = {
  name: "LULL_API_TOKEN",
  about: "for /api, /metrics and `lull status`, on a public service; make one with: openssl rand -base64 24",
};
const TWILIO: readonly Variable[] = [
  { name: "TWILIO_ACCOUNT_SID", about: "from the front page of Twilio's console: AC..." },
  { name: "TWILIO_AUTH_TOKEN", about: "beside it" },
];
const CHANNELS: Readonly<Record<Choices["channel"], readonly Variable[]>> = {
  web: [
    {
      name: "LULL_WEB_SECRET",
      about:
        "visitors prove with it who they are, on a public service (docs/web.md); openssl rand -base64 24",
    },
  ],
  whatsapp: [...TWILIO, { name: "TWILIO_WHATSAPP_FROM", about: "your WhatsApp number, as +15550100" }],
  sms: [...TWILIO, { name: "TWILIO_SMS_FROM", about: "your number, as +15550100" }],
  wati: [
    { name: "WATI_API_URL", about: "the API endpoint that WATI shows, with your tenant in its path" },
    { name: "WATI_TOKEN", about: "the API token that WATI shows" },
    {
      name: "WATI_WEBHOOK_SECRET",
      about: "what the webhook's URL ends with: ?secret=...; make one with: openssl rand -hex 24",
    },
  ],
};
const OPENAI: Variable = { name: "OPENAI_API_KEY", about: "sk-..." };

/** Everything that stays out of version control. Empty ones count as not set. */
export function environmentExample({ channel, responder }: Choices): string {
  const variables = [
    ...CHANNELS[channel],
    PUBLIC_URL,
    ...(responder === "openai" ? [OPENAI] : []),
    API_TOKEN,
  ];
  const lines = variables.flatMap(({ name, about }) => [`# ${about}`, `${name}=`, ""]);
  return ["# Copy it to .env, which every lull command reads and git does not keep.", "", ...lines].join(
    "\n",
  );
}
