// A service of your own that answers turns, in any language; here in plain Node. What it cannot answer at once, it answers later.
//
//   npx node examples/http-responder.ts
//   npx lull dev --config examples/http-responder.config.json      (in another terminal)

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";

const { PORT = "9000", LULL_URL = "http://127.0.0.1:8080", LULL_TURN_TOKEN } = process.env;

/** What Lull posts, as far as it is used here. */
interface Asked {
  readonly turn: { readonly id: string; readonly text: string; readonly messages: readonly unknown[] };
}

const server = createServer(async (request, response) => {
  const { turn } = (await json(request)) as Asked;
  if (/invoice/i.test(turn.text)) {
    // 202: "not now". Lull waits up to five minutes, without holding anything.
    response.writeHead(202, { "retry-after": "300" }).end();
    setTimeout(() => answerLater(turn.id, "Your invoice is on its way."), 1_000);
    return;
  }
  // The body of a 200 is the reply. The same turn may be asked again after a crash, with the same id.
  response.writeHead(200, { "content-type": "text/plain; charset=utf-8" });
  response.end(`${turn.messages.length} messages, one answer: ${turn.text}`);
});

async function answerLater(turnId: string, text: string): Promise<void> {
  const answer = await fetch(`${LULL_URL}/api/turns/${turnId}/reply`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      ...(LULL_TURN_TOKEN && { authorization: `Bearer ${LULL_TURN_TOKEN}` }),
    },
    body: JSON.stringify({ text }),
  });
  // 409: too late, the turn was asked again. Nothing was sent, and nothing is to be done.
  console.error(`late answer: ${answer.status}`);
}

server.listen(Number(PORT), "127.0.0.1", () => {
  console.log(`listening on http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
