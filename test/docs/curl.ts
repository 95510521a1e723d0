const BASE = "http://127.0.0.1:8080";

/** What an example sends. `$ID` is what the list, or the log, gave. */
const BODIES: Readonly<Record<string, object>> = {
  createConversation: {
    channel_type: "web",
    address: "web",
    sender: "visitor-0001",
    attributes: { name: "Ana" },
    first_message: "Welcome. A table for how many?",
  },
  say: { text: "I am looking into it.", author: "eva", id: "say-1" },
  handOffConversation: { reason: "asked for a human" },
  replyToTurn: { text: "Your table is booked.", complete: true },
  markUnknownSend: { as: "sent" },
};

const QUERIES: Readonly<Record<string, string>> = { listConversations: "?search=visitor&limit=20" };

/** An example of a call, as it can be carried out; a test does. */
export function curlOf(method: string, path: string, operation: string): string {
  const verb = method === "GET" ? "" : `-X ${method} `;
  const url = `${BASE}${path.replace("{id}", "$ID")}${QUERIES[operation] ?? ""}`;
  const token = operation === "replyToTurn" ? "$LULL_TURN_TOKEN" : "$LULL_API_TOKEN";
  const lines = [`curl ${verb}"${url}"`, `-H "authorization: Bearer ${token}"`];
  const body = BODIES[operation];
  const sent = body ? [`-H "content-type: application/json"`, `-d '${JSON.stringify(body)}'`] : [];
  return [...lines, ...sent].join(" \\\n  ");
}
