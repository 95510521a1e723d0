// A WhatsApp number whose messages a model answers, with one tool.
//
//   TWILIO_ACCOUNT_SID=AC... TWILIO_AUTH_TOKEN=... TWILIO_WHATSAPP_FROM=+15550100 \
//   OPENAI_API_KEY=... LULL_PUBLIC_URL=https://bot.example.com npx node examples/twilio-openai.ts
//
// At Twilio, enter https://bot.example.com/webhooks/whatsapp#rc=3&rp=all as "when a message comes in".

import { createLull } from "lull";
import { serve } from "lull/node";
import { openai } from "lull/openai";
import { sqlite } from "lull/sqlite";
import { twilio } from "lull/twilio";

const { PORT = "8080", LULL_PUBLIC_URL = `http://localhost:${PORT}` } = process.env;
const tablesLeft = new Map([["friday", 2]]);

const lull = createLull({
  engine: sqlite({ file: "data/twilio-openai.db" }),
  channels: { whatsapp: twilio.whatsapp() }, // account, token and number come from the environment
  window: { quietSeconds: 2, maxSeconds: 20 },
  publicUrl: LULL_PUBLIC_URL, // Twilio signs this address, so it has to be the one that you entered there
  respond: openai({
    instructions: "You take bookings for the Blue Door. Be brief.",
    tools: {
      tables_left: {
        description: "How many tables are free on a day of this week",
        parameters: { type: "object", properties: { day: { type: "string" } }, required: ["day"] },
        run: async ({ day }: { day: string }) => ({ left: tablesLeft.get(day.toLowerCase()) ?? 0 }),
      },
    },
  }),
  // Events, ids, counts and times; never texts or numbers.
  log: (level, event, fields) => console.error(level, event, fields),
});

const { url } = await serve(lull, { port: Number(PORT) });
console.log(`lull listening on ${url}`);
