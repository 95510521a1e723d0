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

const STATUS_CALLBACK: Pairs = [
  ["AccountSid", accountSid],
  ["Body", ""],
  ["From", OURS],
  ["MessageSid", SID],
  ["MessageStatus", "delivered"],
  ["SmsSid", SID],
  ["SmsStatus", "delivered"],
  ["To", VICTIM],
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
  const [message] = parsed.kind === "updates" ? parsed.messages : [];
  return message && `${message.providerId} ${message.sender}`;
}

const NEEDED = ["AccountSid", "Body", "From", "MessageSid", "To"];

/**
 * Every way to read the names that a message needs out of a line, each with every value that can follow them.
 */
function cutsOf(signed: string): Pairs[] {
  const places = (name: string) => [...signed.matchAll(new RegExp(name, "g"))].map(({ index }) => index);
  let ways: number[][] = [[]];
  for (const name of NEEDED)
    ways = ways.flatMap((way) =>
      places(name).flatMap((at) => (at >= (way.at(-1) ?? 0) ? [[...way, at]] : [])),
    );
  return ways.filter(([first]) => first === 0).flatMap((way) => cutsAt(signed, way));
}

function cutsAt(signed: string, way: readonly number[]): Pairs[] {
  const pairs = way.map((at, n): [string, string] => {
    const name = NEEDED[n]!;
    return [name, signed.slice(at + name.length, way[n + 1])];
  });
  return endingTheId(pairs)
    .flatMap((cut) => [cut, ...withOneMore(cut)])
    .filter(isSorted);
}

/** An id has a fixed length: behind it another name begins. */
function endingTheId(pairs: Pairs): Pairs[] {
  const at = pairs.findIndex(([name]) => name === "MessageSid");
  const value = pairs[at]![1];
  const rest = value.slice(SID.length);
  if (rest === "") return [pairs];
  return [1, 2, 8, 13, rest.length].map(
    (end): Pairs => [
      ...pairs.slice(0, at),
      ["MessageSid", value.slice(0, SID.length)],
      [rest.slice(0, end), rest.slice(end)],
      ...pairs.slice(at + 1),
    ],
  );
}

function withOneMore(pairs: Pairs): Pairs[] {
  return pairs.flatMap(([name, value], n) =>
    splits(value).map(
      ([kept, more, rest]): Pairs => [
        ...pairs.slice(0, n),
        [name, kept],
        [more, rest],
        ...pairs.slice(n + 1),
      ],
    ),
  );
}

/** Twilio's library sorts this form differently, so its signature differs. */
function isSorted(cut: Pairs): boolean {
  return cut.every(([name], n) => n === 0 || cut[n - 1]![0] < name);
}

function splits(value: string): [string, string, string][] {
  const ends = Array.from({ length: value.length + 1 }, (_, at) => at);
  return ends.flatMap((at) =>
    ends
      .filter((end) => end > at)
      .map((end): [string, string, string] => [value.slice(0, at), value.slice(at, end), value.slice(end)]),
  );
}

describe("a signature that is right for other parameters, too", () => {
  /** Cut elsewhere, the signed line is the same. */
  const bring = (genuine: Pairs, cut: Pairs, at = url) => {
    expect(line(cut)).toBe(line(genuine));
    expect([...cut].sort(([a], [b]) => (a < b ? -1 : 1))).toEqual(cut);
    return taken(cut, signatureOf(authToken, at + line(genuine)), at);
  };

  test("as it was signed, the message is taken", async () => {
    expect(await bring(MESSAGE, MESSAGE)).toBe(`${SID} +50370000001`);
  });

  test("does not make a new message of one whose id took in what follows it", async () => {
    for (const more of [1, 2, 3]) {
      const cut: Pairs = [
        ...MESSAGE.slice(0, 3),
        ["MessageSid", SID + line(MESSAGE.slice(4, 4 + more))],
        ...MESSAGE.slice(4 + more),
      ];
      expect(await bring(MESSAGE, cut)).toBeUndefined();
    }
  });

  test("does not turn what a customer wrote into another customer's message", async () => {
    const genuine = writing(`helloFrom${VICTIM}MessageSid${OTHER}To${OURS}X`);
    const cut: Pairs = [
      ...MESSAGE.slice(0, 2),
      ["From", VICTIM],
      ["MessageSid", OTHER],
      ["To", OURS],
      ["X", line(genuine.slice(2))],
    ];
    expect(await bring(genuine, cut)).toBeUndefined();
  });

  test("does not make one customer the alias of another under a new id", async () => {
    const genuine = writing(`helloExternalUserId${VICTIM}`);
    const cut: Pairs = [...MESSAGE.slice(0, 2), ["ExternalUserId", VICTIM], ...MESSAGE.slice(2)];
    // The same id, so it is a duplicate of the message taken before.
    expect(await bring(genuine, genuine)).toBe(`${SID} +50370000001`);
    expect(await bring(genuine, cut)).toBe(`${SID} +50370000001`);
  });

  test("does not make the message that was replied to one that was sent", async () => {
    const genuine: Pairs = [
      ...MESSAGE.slice(0, 6),
      ["OriginalRepliedMessageSid", OTHER],
      ...MESSAGE.slice(6),
    ];
    const cut: Pairs = [
      ...MESSAGE.slice(0, 2),
      ["From", `${MESSAGE[2]![1]}${line(MESSAGE.slice(3, 6))}OriginalReplied`],
      ["MessageSid", OTHER],
      ...MESSAGE.slice(6),
    ];
    expect(await bring(genuine, genuine)).toBe(`${SID} +50370000001`);
    expect(await bring(genuine, cut)).toBeUndefined();
  });

  test("does not make a message of what became of one", async () => {
    const cut: Pairs = [
      ...STATUS_CALLBACK.slice(0, 4),
      [`MessageStatusdeliveredSmsSid${SID}SmsStatus`, "delivered"],
      ["To", VICTIM],
    ];
    expect(await bring(STATUS_CALLBACK, cut)).toBeUndefined();
    expect(
      await bring(STATUS_CALLBACK, [
        ...STATUS_CALLBACK.slice(0, 4),
        ["MessageStatusd", "elivered"],
        ...STATUS_CALLBACK.slice(5),
      ]),
    ).toBeUndefined();
  });

  const REPLY: Pairs = [...MESSAGE.slice(0, 6), ["OriginalRepliedMessageSid", OTHER], ...MESSAGE.slice(6)];

  test.each<[string, Pairs]>([
    ["a message", MESSAGE],
    ["a reply", REPLY],
    ["what became of one", STATUS_CALLBACK],
    ["a text with names in it", writing(`helloFrom${VICTIM}MessageSid${OTHER}N`)],
    ["a text with a sender in it", writing(`helloFrom${VICTIM}`)],
    ["a text with a sender and a town in it", writing(`helloFrom${VICTIM}FromCity`)],
    ["a text with everything in it", writing(`xFrom${VICTIM}MessageSid${OTHER}To${OURS}X`)],
  ])("wherever %s is cut, it is itself or nothing", async (_, genuine) => {
    const signed = line(genuine);
    const signature = signatureOf(authToken, url + signed);
    const self = await taken(genuine, signature);
    const became = new Set<string | undefined>();
    for (const cut of cutsOf(signed)) became.add(await taken(cut, signature));
    became.delete(undefined);
    expect([...became]).toEqual(self === undefined ? [] : [self]);
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
