// Lull inside a Fastify server, below /lull. Twilio posts to <PUBLIC_URL>/lull/webhooks/whatsapp.
//
//   PUBLIC_URL=https://bot.example.com TWILIO_ACCOUNT_SID=AC... TWILIO_AUTH_TOKEN=... \
//     TWILIO_WHATSAPP_FROM=+15550100 npx node examples/fastify.ts

import { fastify } from "fastify";
import { createLull } from "lull";
import { mount } from "lull/fastify";
import { sqlite } from "lull/sqlite";
import { twilio } from "lull/twilio";

const lull = createLull({
  engine: sqlite({ file: "data/fastify.db" }),
  publicUrl: `${process.env.PUBLIC_URL}/lull`,
  channels: { whatsapp: twilio.whatsapp() },
  window: { quietSeconds: 2 },
  respond: async (turn) => `heard ${turn.messages.length}: ${turn.text}`,
});

const app = fastify();
app.register(mount(lull), { prefix: "/lull" }); // starts and stops with the server
app.get("/hello", async () => "a page of your own\n");

const url = await app.listen({ port: Number(process.env.PORT ?? 8080), host: "127.0.0.1" });
console.log(`listening on ${url}`);

process.once("SIGTERM", async () => {
  await app.close(); // running turns may finish
  process.exit();
});
