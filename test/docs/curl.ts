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
  findPerson: { customer: "+15550100" },
  erasePerson: { customer: "+15550100", channel: "web" },
  exportPerson: { customer: "+15550100" },
  changeProject: { paused: true },
  writeMessage: { id: "1", sender: "visitor-0001", text: "are you open?" },
};

const QUERIES: Readonly<Record<string, string>> = {
  listConversations: "?search=visitor&limit=20",
  readFeed: "?sender=visitor-0001",
};

/** What each proves itself with, if not with the operator's token. */
const PROOFS: Readonly<Record<string, readonly string[]>> = {
  replyToTurn: [bearer("$LULL_TURN_TOKEN")],
  // No secret on the machine of who tries it out.
  writeMessage: [],
  readFeed: [],
};

/** An example of a call, as it can be carried out; a test does. */
export function curlOf(method: string, path: string, operation: string): string {
  const verb = method === "GET" ? "" : `-X ${method} `;
  const url = `${BASE}${path.replace("{id}", "$ID").replace("{channel}", "web")}${QUERIES[operation] ?? ""}`;
  const lines = [`curl ${verb}"${url}"`, ...(PROOFS[operation] ?? [bearer("$LULL_API_TOKEN")])];
  const body = BODIES[operation];
  const sent = body ? [`-H "content-type: application/json"`, `-d '${JSON.stringify(body)}'`] : [];
  return [...lines, ...sent].join(" \\\n  ");
}

function bearer(token: string): string {
  return `-H "authorization: Bearer ${token}"`;
}
