// Lull inside a Hono server on Node, below /lull. Twilio posts to <PUBLIC_URL>/lull/webhooks/whatsapp.
//
//   PUBLIC_URL=https://bot.example.com TWILIO_ACCOUNT_SID=AC... TWILIO_AUTH_TOKEN=... \
//     TWILIO_WHATSAPP_FROM=+15550100 npx node examples/hono.ts

import { serve } from "@hono/node-server";
import { Hono } from "hono";
import { createLull } from "lull";
import { mount } from "lull/hono";
import { sqlite } from "lull/sqlite";
import { twilio } from "lull/twilio";

const lull = createLull({
  engine: sqlite({ file: "data/hono.db" }),
  publicUrl: `${process.env.PUBLIC_URL}/lull`,
  channels: { whatsapp: twilio.whatsapp() },
  window: { quietSeconds: 2 },
  respond: async (turn) => `heard ${turn.messages.length}: ${turn.text}`,
});

const app = new Hono();
app.use(mount(lull, { at: "/lull" })); // before what reads bodies
app.get("/hello", (context) => context.text("a page of your own\n"));

await lull.start(); // without it messages are stored and not answered
const listening = { fetch: app.fetch, port: Number(process.env.PORT ?? 8080), hostname: "127.0.0.1" };
const server = serve(listening, ({ port }) => {
  console.log(`listening on http://127.0.0.1:${port}`);
});

process.once("SIGTERM", () => {
  server.close(async () => {
    await lull.stop(); // running turns may finish
    process.exit();
  });
});
