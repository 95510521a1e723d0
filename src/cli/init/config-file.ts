import type { Choices } from "./choices.ts";

/** What a channel is in code, with the import that it takes. */
const CHANNELS: Readonly<Record<Choices["channel"], readonly [entry: string, module: string, name: string]>> =
  {
    web: ["web: web()", "lull/web", "web"],
    whatsapp: ["whatsapp: twilio.whatsapp()", "lull/twilio", "twilio"],
    sms: ["sms: twilio.sms()", "lull/twilio", "twilio"],
    wati: ["wati: wati()", "lull/wati", "wati"],
  };

/** Who answers, in code, with what that takes. */
const RESPONDERS: Readonly<Record<Choices["responder"], readonly [code: string, ...imports: string[]]>> = {
  echo: ["echo()", 'import { echo } from "lull/echo";'],
  openai: [
    "openai(assistant)",
    'import { openai } from "lull/openai";',
    'import { assistant } from "./assistant.ts";',
  ],
  function: ["respond", 'import { respond } from "./respond.ts";'],
  http: ["http(service)", 'import { http } from "lull/http";', 'import { service } from "./service.ts";'],
};

export function channelCode({ channel }: Choices): { readonly entry: string; readonly import: string } {
  const [entry, module, name] = CHANNELS[channel];
  return { entry, import: `import { ${name} } from "${module}";` };
}

export function responderCode({ responder }: Choices): { readonly code: string; readonly imports: string[] } {
  const [code, ...imports] = RESPONDERS[responder];
  return { code, imports };
}

/** What is Node's, then packages, then files, each by its name: as a formatter would leave them. */
export function importLines(lines: readonly string[]): string {
  const order = lines.map((line) => ({ line, module: /from "(.+)"/.exec(line)?.[1] ?? "" }));
  const rank = (module: string) => (module.startsWith("node:") ? 0 : module.startsWith(".") ? 2 : 1);
  const isBefore = (a: string, b: string) => rank(a) - rank(b) || (a < b ? -1 : 1);
  return order
    .toSorted((a, b) => isBefore(a.module, b.module))
    .map(({ line }) => line)
    .join("\n");
}

/** Channels are left to the environment: without an account `lull dev` runs all the same. */
export function configFile(choices: Choices): string {
  const responder = responderCode(choices);
  const lines = [
    ...(choices.engine === "aws" ? ['engine: "aws",'] : []),
    CHANNEL_LINES[choices.channel],
    "window: { quietSeconds: 4, maxSeconds: 20 }, // until they are quiet for 4 s, 20 s at most",
    responder.code === "respond" ? "respond," : `respond: ${responder.code},`,
  ];
  return [
    importLines(['import { defineConfig } from "lull";', ...responder.imports]),
    "",
    "export default defineConfig({",
    ...lines.map((line) => `  ${line}`),
    "});\n",
  ].join("\n");
}

const CHANNEL_LINES: Readonly<Record<Choices["channel"], string>> = {
  web: "web: true, // POST /webhooks/web, and a phone page at /",
  whatsapp: "// POST /webhooks/whatsapp is on where .env has TWILIO_WHATSAPP_FROM.",
  sms: "// POST /webhooks/sms is on where .env has TWILIO_SMS_FROM.",
  wati: "// POST /webhooks/wati is on where .env has WATI_API_URL.",
};

/** The file that holds what is your own of the responder, if it has one. */
export function responderFile({ responder }: Choices): readonly [name: string, text: string] | undefined {
  if (responder === "echo") return undefined;
  return OWN_FILES[responder];
}

const OWN_FILES = {
  openai: [
    "assistant.ts",
    `/** Who the assistant is. Options beside it: docs/responders.md#openai */
export const assistant = {
  instructions: "You take bookings for the Blue Door. Be brief.", // say who yours is
};
`,
  ],
  function: [
    "respond.ts",
    `import type { Responder } from "lull";

/** One turn in, one reply out: all that the customer wrote is in \`turn.text\`, line by line. */
export const respond: Responder = async (turn) => {
  if (/human|person/i.test(turn.text)) return { text: "One moment, please.", handOff: "asked for a human" };
  return \`\${turn.messages.length} messages, one answer: \${turn.text}\`;
};
`,
  ],
  http: [
    "service.ts",
    `/** Where the service that answers is. What it is posted, and may say: docs/responders.md#http */
export const service = {
  url: "http://127.0.0.1:9000/turns", // say where yours is
};
`,
  ],
} as const;
