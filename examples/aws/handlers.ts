// The functions, with a responder of your own. The construct tells them by variables where everything is.

import { aws } from "lull/aws";
import { lambdaHandlers } from "lull/lambda";
import { secretsManager } from "lull/secrets-manager";
import { twilio } from "lull/twilio";

export const { webhook, api, worker, sweeper } = lambdaHandlers(() => ({
  engine: aws(),
  secrets: secretsManager(),
  channels: { whatsapp: twilio.whatsapp({ authToken: { name: variable("TWILIO_AUTH_TOKEN_SECRET") } }) },
  window: { quietSeconds: 4, maxSeconds: 20 },
  publicUrl: variable("LULL_PUBLIC_URL"),
  apiToken: { name: variable("LULL_API_TOKEN_SECRET") },
  respond: async (turn) => {
    if (/human|person/i.test(turn.text)) return { text: "One moment, please.", handOff: "asked for a human" };
    return `${turn.messages.length} messages, one answer: ${turn.text}`;
  },
}));

function variable(name: string): string {
  const value = process.env[name];
  if (!value) throw new Error(`${name} is not set`);
  return value;
}
