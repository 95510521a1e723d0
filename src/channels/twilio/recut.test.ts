import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import { testContext, testRequest } from "../../testing/channel-context.ts";
import { twilio } from "./index.ts";
import { signatureOf } from "./verify.ts";

const accountSid = "AC00000000000000000000000000000001";
const authToken = "test-auth-token";
const url = "https://bot.example.com/webhooks/whatsapp";
const FORM = { "content-type": "application/x-www-form-urlencoded" };
const SID = `SM${"1".repeat(32)}`;
const OTHER = `SM${"f".repeat(32)}`;
const OURS = "whatsapp:+14155238886";
const VICTIM = "whatsapp:+50370000777";

type Pairs = readonly [string, string][];

const MESSAGE: Pairs = [
  ["AccountSid", accountSid],
  ["ApiVersion", "2010-04-01"],
  ["Body", "hello"],
  ["From", "whatsapp:+50370000001"],
  ["MessageSid", SID],
  ["NumMedia", "0"],
  ["NumSegments", "1"],
  ["SmsMessageSid", SID],
  ["SmsSid", SID],
  ["SmsStatus", "received"],
  ["To", OURS],
];

function line(pairs: Pairs): string {
  return pairs.map(([name, value]) => name + value).join("");
}

function writing(text: string): Pairs {
  return MESSAGE.map((pair) => (pair[0] === "Body" ? ["Body", text] : pair));
}

/** The id under which it would be taken, or why it is not. */
async function taken(pairs: Pairs, signature: string, at = url): Promise<string | undefined> {
  const channel = twilio.whatsapp({ accountSid, authToken });
  channel.open?.({ ...testContext(), publicUrl: "https://bot.example.com" });
  const body = new URLSearchParams([...pairs]).toString();
  const request = testRequest(at, body, { ...FORM, "x-twilio-signature": signature });
  if ((await channel.verify(request)).kind === "refused") return undefined;
  const parsed = channel.parse(request);
  return parsed.kind === "updates" ? parsed.messages[0]?.providerId : undefined;
}

describe("a signature that is right for other parameters, too", () => {
  /** Cut elsewhere, the line that is signed is the same. */
  const bring = (genuine: Pairs, cut: Pairs, at = url) => {
    expect(line(cut)).toBe(line(genuine));
    expect([...cut].sort(([a], [b]) => (a < b ? -1 : 1))).toEqual(cut);
    return taken(cut, signatureOf(authToken, at + line(genuine)), at);
  };

  test("as it was signed, the message is taken", async () => {
    expect(await bring(MESSAGE, MESSAGE)).toBe(SID);
  });

  test("does not make a new message of one whose id took in what follows it", async () => {
    for (const more of [1, 2, 3]) {
      const cut: Pairs = [
        ...MESSAGE.slice(0, 4),
        ["MessageSid", SID + line(MESSAGE.slice(5, 5 + more))],
        ...MESSAGE.slice(5 + more),
      ];
      expect(await bring(MESSAGE, cut)).toBeUndefined();
    }
  });

  test("does not make somebody else's message of what a customer wrote", async () => {
    const genuine = writing(`helloFrom${VICTIM}MessageSid${OTHER}To${OURS}X`);
    const cut: Pairs = [
      ...MESSAGE.slice(0, 3),
      ["From", VICTIM],
      ["MessageSid", OTHER],
      ["To", OURS],
      ["X", line(genuine.slice(3))],
    ];
    expect(await bring(genuine, cut)).toBeUndefined();
  });

  test("makes nobody another one's alias under a new id", async () => {
    const genuine = writing(`helloExternalUserId${VICTIM}`);
    const cut: Pairs = [...MESSAGE.slice(0, 3), ["ExternalUserId", VICTIM], ...MESSAGE.slice(3)];
    // The same id: the duplicate of what was taken when it came.
    expect(await bring(genuine, cut)).toBe(SID);
  });

  test("does not make the message that was replied to one that was sent", async () => {
    const genuine: Pairs = [
      ...MESSAGE.slice(0, 7),
      ["OriginalRepliedMessageSid", OTHER],
      ...MESSAGE.slice(7),
    ];
    const cut: Pairs = [
      ...MESSAGE.slice(0, 3),
      ["From", `${MESSAGE[3]![1]}${line(MESSAGE.slice(4, 7))}OriginalReplied`],
      ["MessageSid", OTHER],
      ...MESSAGE.slice(7),
    ];
    expect(await bring(genuine, genuine)).toBe(SID);
    expect(await bring(genuine, cut)).toBeUndefined();
  });

  test("does not make a message of what became of one", async () => {
    const status: Pairs = [
      ["AccountSid", accountSid],
      ["From", OURS],
      ["MessageSid", SID],
      ["MessageStatus", "delivered"],
      ["SmsSid", SID],
      ["SmsStatus", "delivered"],
      ["To", VICTIM],
    ];
    const cut: Pairs = [
      ...status.slice(0, 3),
      [`MessageStatusdeliveredSmsSid${SID}SmsStatus`, "delivered"],
      ["To", VICTIM],
    ];
    expect(await bring(status, cut)).toBeUndefined();
    expect(
      await bring(status, [...status.slice(0, 3), ["MessageStatusd", "elivered"], ...status.slice(4)]),
    ).toBeUndefined();
  });

  test("does not make the hash of a body of what a customer wrote", async () => {
    const at = `${url}?shop=1`;
    const body = JSON.stringify({ AccountSid: accountSid, MessageSid: OTHER, From: VICTIM, To: OURS });
    const hash = createHash("sha256").update(body).digest("hex");
    const genuine = writing(`hello&bodySHA256=${hash}&`);
    const channel = twilio.whatsapp({ accountSid, authToken });
    channel.open?.({ ...testContext(), publicUrl: "https://bot.example.com" });
    const headers = {
      "content-type": "application/json",
      "x-twilio-signature": signatureOf(authToken, at + line(genuine)),
    };
    const moved = testRequest(at + line(genuine), body, headers);
    expect((await channel.verify(moved)).kind).toBe("refused");
    expect(channel.glance?.(moved)?.code).toBe("INVALID_PAYLOAD");
  });
});
