// The smallest bot: a phone in the page, and a function that answers.
//
//   npx node examples/minimal.ts
//
// Open the URL, write a few lines in a row, pause for two seconds: one answer.

import { createLull } from "lull";
import { serve } from "lull/node";
import { sqlite } from "lull/sqlite";
import { web } from "lull/web";

const lull = createLull({
  engine: sqlite({ file: "data/minimal.db" }),
  channels: { web: web() }, // POST /webhooks/web, and the phone page at /
  window: { quietSeconds: 2 },
  respond: async (turn) => `${turn.messages.length} messages, one answer: ${turn.text}`,
});

const { url } = await serve(lull, { port: Number(process.env.PORT ?? 8080), host: "127.0.0.1" });
console.log(`lull listening on ${url}`);
