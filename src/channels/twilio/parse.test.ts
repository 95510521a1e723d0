import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { testRequest } from "../../testing/channel-context.ts";
import { parse } from "./parse.ts";

const url = "https://bot.example.com/webhooks/whatsapp";

function parsed(payload: string) {
  return parse(testRequest(url, readFileSync(new URL(`payloads/${payload}.txt`, import.meta.url))));
}

function message(payload: string) {
  const result = parsed(payload);
  return result.kind === "updates" ? result.messages[0] : undefined;
}

test("a text message names sender and address without prefix, and replies to the address as received", () => {
  expect(parsed("text")).toEqual({
    kind: "updates",
    statuses: [],
    messages: [
      {
        providerId: "SM00000000000000000000000000000001",
        account: "AC00000000000000000000000000000001",
        address: "+14155238886",
        sender: "+50370000001",
        replyTo: "whatsapp:+50370000001",
        text: "Hola, quiero reservar",
        media: [],
        fields: { profileName: "Ana", waId: "50370000001", messageType: "text" },
      },
    ],
  });
});

test("a message of media alone is a message, not a status", () => {
  const media = message("media-only")?.media.map(({ contentType }) => contentType);
  expect(message("media-only")?.text).toBe("");
  expect(media).toEqual(["image/jpeg", "application/pdf"]);
});

test("a location stays in the fields", () => {
  expect(message("location")?.text).toBe("");
  expect(message("location")?.fields).toMatchObject({
    latitude: "13.6929",
    longitude: "-89.2182",
    address: "Calle Falsa 123, San Salvador",
    label: "Casa de Ana",
  });
});

test("a tapped button says what is written on it", () => {
  expect(message("button")?.text).toBe("Sí, confirmar");
  expect(message("button")?.fields).toMatchObject({
    buttonPayload: "confirm-42",
    repliedTo: "SM000000000000000000000000000000f0",
  });
});

test("a business-scoped user id is the sender, and the phone another name for the same person", () => {
  expect(message("external-user-id")).toMatchObject({
    sender: "SV.100000000001",
    senderAlias: "+50370000001",
    replyTo: "whatsapp:+50370000001",
  });
});

test("a customer who hides the number has one name only", () => {
  expect(message("hidden-number")).toMatchObject({
    sender: "SV.100000000001",
    replyTo: "whatsapp:SV.100000000001",
  });
  expect(message("hidden-number")).not.toHaveProperty("senderAlias");
});

test("an SMS tells where its number is from", () => {
  expect(message("sms")).toMatchObject({ sender: "+15550101", address: "+15550102", replyTo: "+15550101" });
  expect(message("sms")?.fields).toEqual({ fromCity: "SPRINGFIELD", fromState: "OR", fromCountry: "US" });
});

test.each([
  ["a number, which would be another customer's name", "whatsapp:+50370000777", "whatsapp:+50370000001"],
  ["another id than the one that wrote", "whatsapp:SV.bbbbbbbb", "whatsapp:SV.aaaaaaaa"],
])("an external user id that is %s is ignored: the number that wrote is answered", (_, id, from) => {
  const body = readFileSync(new URL("payloads/text.txt", import.meta.url), "utf8");
  const form = new URLSearchParams(body);
  form.set("From", from);
  form.set("ExternalUserId", id);
  const result = parse(testRequest(url, form.toString()));
  const [message] = result.kind === "updates" ? result.messages : [];
  expect(message).toMatchObject({ sender: from.slice("whatsapp:".length), replyTo: from });
  expect(message).not.toHaveProperty("senderAlias");
});

test("a status callback carries the chunk back that its URL was made for", () => {
  const body = readFileSync(new URL("payloads/status-failed.txt", import.meta.url));
  const turnId = "turn/7.b c&d+é";
  const callback = `${url}/status?n=${encodeURIComponent(turnId)}.12#rc=3`;
  expect(parse(testRequest(callback, body))).toEqual({
    kind: "updates",
    messages: [],
    statuses: [
      {
        account: "AC00000000000000000000000000000001",
        providerId: "SMbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb",
        status: "failed",
        errorCode: "63016",
        address: "+14155238886",
        chunk: { turnId, chunk: 12 },
      },
    ],
  });
});

test.each(["", "?n=", "?n=turn", "?n=turn.", "?n=.1", "?n=turn.x"])(
  "a status callback to a URL ending in '%s' names no chunk",
  (query) => {
    const body = readFileSync(new URL("payloads/status-delivered.txt", import.meta.url));
    const result = parse(testRequest(url + query, body));
    expect(result.kind === "updates" && result.statuses[0]).not.toHaveProperty("chunk");
  },
);

test("what is missing is named", () => {
  expect(parse(testRequest(url, "Body=hi&From=x"))).toEqual({
    kind: "invalid",
    why: "missing: MessageSid, AccountSid, To",
  });
  expect(parse(testRequest(url, "MessageStatus=sent"))).toEqual({
    kind: "invalid",
    why: "missing: MessageSid, AccountSid",
  });
});
