// A configuration for the service. What is not here comes from the environment, or has a default.
//
//   npx lull start --config examples/lull.config.ts
//
// In a project of your own it is called lull.config.ts, and `npx lull start` finds it.

import { defineConfig } from "lull";
import { web } from "lull/web";

export default defineConfig({
  channels: { shop: web() }, // POST /webhooks/shop; set TWILIO_WHATSAPP_FROM and the rest to add WhatsApp
  window: { quietSeconds: 2, maxSeconds: 20 },
  limits: { concurrency: 20, answerTimeoutSeconds: 60 },
  respond: async (turn) => {
    if (/human|person/i.test(turn.text)) return { text: "One moment, please.", handOff: "asked for a human" };
    const earlier = await turn.history();
    const greeting = earlier.length === 0 ? "Welcome! " : "";
    return `${greeting}You wrote ${turn.messages.length} messages: ${turn.text}`;
  },
});
