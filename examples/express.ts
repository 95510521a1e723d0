// Lull inside an Express server, below /lull. Twilio posts to <PUBLIC_URL>/lull/webhooks/whatsapp.
//
//   PUBLIC_URL=https://bot.example.com TWILIO_ACCOUNT_SID=AC... TWILIO_AUTH_TOKEN=... \
//     TWILIO_WHATSAPP_FROM=+15550100 npx node examples/express.ts

import type { AddressInfo } from "node:net";
import express from "express";
import { createLull } from "lull";
import { mount } from "lull/express";
import { sqlite } from "lull/sqlite";
import { twilio } from "lull/twilio";

const lull = createLull({
  engine: sqlite({ file: "data/express.db" }),
  publicUrl: `${process.env.PUBLIC_URL}/lull`,
  channels: { whatsapp: twilio.whatsapp() },
  window: { quietSeconds: 2 },
  respond: async (turn) => `heard ${turn.messages.length}: ${turn.text}`,
});

const app = express();
app.use("/lull", mount(lull)); // before express.json(): signatures are made over the body as it came
app.use(express.json());
app.get("/hello", (_request, response) => void response.send("a page of your own\n"));

await lull.start(); // without it messages are stored and not answered
const server = app.listen(Number(process.env.PORT ?? 8080), "127.0.0.1", () => {
  console.log(`listening on http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});

process.once("SIGTERM", () => {
  server.close(async () => {
    await lull.stop(); // running turns may finish
    process.exit();
  });
});
