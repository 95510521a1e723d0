import { createHmac, timingSafeEqual } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { type ParsedUrlQuery, parse } from "node:querystring";
import { AUTH_TOKEN, PATH, PUBLIC_URL } from "../account.ts";

export interface Inbound {
  readonly id: string;
  readonly from: string;
  readonly text: string;
}

type TakeIn = (message: Inbound) => Promise<void> | undefined;

const TWIML = '<?xml version="1.0" encoding="UTF-8"?><Response/>';

/** Twilio's webhook, as a careful program has it: signature checked, 200 once the message is taken in. */
export function serveWebhooks(port: number, takeIn: TakeIn): void {
  listen(port, (request, body, response) => {
    const form = parse(body);
    if (request.url !== PATH || !isSigned(form, request.headers["x-twilio-signature"]))
      return end(response, 403, "");
    const { MessageSid: id = "", From: from = "", Body: text = "" } = form;
    const taken = takeIn({ id: String(id), from: String(from), text: String(text) });
    if (taken === undefined) return end(response, 200, TWIML);
    taken.then(
      () => end(response, 200, TWIML),
      () => end(response, 503, ""),
    );
  });
}

/** The floor: what Node takes to read a form, proven or not, and to answer. */
export function serveForms(port: number): void {
  listen(port, (_, body, response) => {
    const { MessageSid } = parse(body);
    end(response, MessageSid === undefined ? 400 : 200, TWIML);
  });
}

type Handle = (request: IncomingMessage, body: string, response: ServerResponse) => void;

function listen(port: number, handle: Handle): void {
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (bytes: Buffer) => {
      body += bytes.toString("latin1");
    });
    request.on("end", () => handle(request, body, response));
  });
  server.listen(port, "127.0.0.1", () => console.log(`listening on http://127.0.0.1:${port}`));
}

function isSigned(form: ParsedUrlQuery, signature: string | string[] | undefined): boolean {
  let signed = PUBLIC_URL + PATH;
  for (const key of Object.keys(form).sort()) signed += key + form[key];
  const expected = createHmac("sha1", AUTH_TOKEN).update(signed).digest();
  const given = Buffer.from(String(signature), "base64");
  return given.length === expected.length && timingSafeEqual(given, expected);
}

function end(response: ServerResponse, status: number, body: string): void {
  response.writeHead(status, { "content-type": "text/xml", "content-length": body.length });
  response.end(body);
}
