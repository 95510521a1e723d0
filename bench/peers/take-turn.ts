import { Agent, request } from "node:http";
import { ACCOUNT_SID, AUTH_TOKEN, OUR_NUMBER } from "../account.ts";
import { TURNS_AT_ONCE } from "./peer-settings.ts";

/** The cheapest client that Node has: kept-alive connections, and no `fetch`. */
const agent = new Agent({ keepAlive: true, maxSockets: TURNS_AT_ONCE });
const SEND_PATH = `/2010-04-01/Accounts/${ACCOUNT_SID}/Messages.json`;
const CREDENTIALS = `Basic ${Buffer.from(`${ACCOUNT_SID}:${AUTH_TOKEN}`).toString("base64")}`;

interface Post {
  readonly type: string;
  readonly authorization: string;
  readonly body: string;
}

/** One turn: the AI is asked with all texts, and its answer goes to the customer. */
export async function takeTurn(fakesUrl: string, to: string, texts: readonly string[]): Promise<void> {
  const input = [{ role: "user", content: texts.join("\n") }];
  const answered = await post(`${fakesUrl}/v1/responses`, {
    type: "application/json",
    authorization: "Bearer a-key",
    body: JSON.stringify({ store: false, model: "fake", input }),
  });
  const { output } = JSON.parse(answered) as { output: { content: { text: string }[] }[] };
  await post(fakesUrl + SEND_PATH, {
    type: "application/x-www-form-urlencoded",
    authorization: CREDENTIALS,
    body: new URLSearchParams({
      To: to,
      From: OUR_NUMBER,
      Body: output[0]?.content[0]?.text ?? "",
    }).toString(),
  });
}

function post(url: string, { type, authorization, body }: Post): Promise<string> {
  return new Promise((resolve, reject) => {
    const headers = { "content-type": type, authorization, "content-length": Buffer.byteLength(body) };
    const asked = request(url, { method: "POST", agent, headers }, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (part: string) => {
        text += part;
      });
      response.on("end", () => {
        if ((response.statusCode ?? 0) < 300) resolve(text);
        else reject(new Error(`status ${response.statusCode}`));
      });
    });
    asked.on("error", reject);
    asked.end(body);
  });
}
