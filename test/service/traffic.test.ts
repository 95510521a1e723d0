import { afterEach, describe, expect, it } from "vitest";
import { eventually } from "../lull-process.ts";
import { type Surroundings, surroundings } from "./surroundings.ts";

let at: Surroundings;
afterEach(() => at.end());

async function counts() {
  return (await at.api("/counts")) as Record<string, number>;
}

const committed = (turns: number) =>
  eventually(`${turns} commits`, async () => ((await counts()).turns === turns ? true : undefined));

it("the same webhook five times, before, during and after its turn, is one turn", async () => {
  at = await surroundings();
  await at.start(2);
  const answer = Promise.withResolvers<void>();
  at.openai.behave(() => ({ after: answer.promise, answer: "hello" }));
  const { sid } = await at.write(1, "hi");
  expect((await at.write(1, "hi", { sid })).status).toBe(200);
  await at.openai.arrival(1);
  expect((await at.write(1, "hi", { sid })).status).toBe(200);
  answer.resolve();
  await committed(1);
  expect((await at.write(1, "hi", { sid })).status).toBe(200);
  const { items } = (await at.api("/conversations")) as { items: { id: string }[] };
  const id = items[0]?.id;
  await at.api(`/conversations/${id}/close`, { method: "POST" });
  expect((await at.write(1, "hi", { sid })).status).toBe(200);
  expect(await counts()).toMatchObject({ staged: 0, windows: 0, turns: 1, conversations: 1 });
  expect(at.twilio.sent).toHaveLength(1);
});

it("two first messages of a new customer at the same instant on two workers make one conversation", async () => {
  at = await surroundings();
  await at.start(2);
  for (let customer = 1; customer <= 20; customer += 1) {
    await Promise.all([at.write(customer, "one"), at.write(customer, "two"), at.write(customer, "three")]);
  }
  expect(await counts()).toMatchObject({ conversations: 20 });
  await committed(20);
});

describe("bursts", () => {
  it("of 1, 50 and 500 messages are one turn each, in order", async () => {
    at = await surroundings({ LULL_WINDOW_SECONDS: "4" });
    await at.start(2);
    await at.write(1, "only one");
    const sizes = [50, 500];
    await Promise.all(
      sizes.map(async (size, index) => {
        for (let from = 0; from < size; from += 10) {
          await Promise.all(Array.from({ length: 10 }, (_, n) => at.write(index + 2, `m${from + n}`)));
        }
      }),
    );
    await committed(3);
    const lines = at.openai.requests
      .map(({ lastUserText }) => lastUserText.split("\n"))
      .sort((a, b) => a.length - b.length);
    expect(lines.map((each) => each.length)).toEqual([1, 50, 500]);
    for (const burst of lines.slice(1)) {
      const blocks = burst.map((text) => Math.floor(Number(text.slice(1)) / 10));
      expect(blocks).toEqual([...blocks].sort((a, b) => a - b));
    }
  });
});

it("texts of every kind go through unchanged", async () => {
  at = await surroundings();
  await at.start(1);
  const texts = [
    "👩‍👩‍👧‍👦 hello 🇸🇻",
    "مرحبا، أريد الحجز",
    "שלום",
    "x".repeat(64 * 1024),
    "<b>&amp;\u0000</b>",
  ];
  for (const [customer, text] of texts.entries()) expect((await at.write(customer, text)).status).toBe(200);
  const media = {
    Body: "",
    NumMedia: "1",
    MediaUrl0: "https://api.twilio.com/x",
    MediaContentType0: "image/jpeg",
    NewField: "1",
  };
  expect((await at.write(90, "", { params: media })).status).toBe(200);
  await committed(texts.length + 1);
  const heard = at.openai.requests.map(({ lastUserText }) => lastUserText);
  for (const text of texts) expect(heard).toContain(text);
});

it("wrong signatures and broken bodies are told apart and stage nothing", async () => {
  at = await surroundings();
  await at.start(1);
  const form = { "content-type": "application/x-www-form-urlencoded" };
  const forged = await at.post("/webhooks/whatsapp", {
    body: "MessageSid=SM1&From=a&To=b",
    headers: { ...form, "x-twilio-signature": "AAAA" },
  });
  expect(forged.status).toBe(403);
  const unsigned = await at.post("/webhooks/whatsapp", { body: "%%%", headers: form });
  expect(unsigned.status).toBe(403);
  const huge = await at.post("/webhooks/whatsapp", { body: "x".repeat(1_100_000), headers: form });
  expect(huge.status).toBe(413);
  expect(await counts()).toMatchObject({ staged: 0, conversations: 0 });
});

it("a message that arrives while the answer is made gets its own turn", async () => {
  at = await surroundings();
  await at.start(2);
  const answer = Promise.withResolvers<void>();
  at.openai.behave(({ lastUserText }, n) =>
    n === 1 ? { after: answer.promise, answer: "first" } : `re: ${lastUserText}`,
  );
  await at.write(1, "one");
  await at.openai.arrival(1);
  await at.write(1, "two");
  answer.resolve();
  await at.twilio.whenSent(2);
  expect(at.twilio.sent.map(({ body }) => body)).toEqual(["first", "re: two"]);
});

it("is told when it is busy, in the answer to Twilio, once per running turn", async () => {
  at = await surroundings({ LULL_WHILE_BUSY: "reject" });
  await at.start(1);
  const answer = Promise.withResolvers<void>();
  at.openai.behave(() => ({ after: answer.promise, answer: "done" }));
  await at.write(1, "one");
  await at.openai.arrival(1);
  expect((await at.write(1, "two")).body).toContain("<Message>");
  expect((await at.write(1, "three")).body).not.toContain("<Message>");
  answer.resolve();
  await at.twilio.whenSent(1);
  await committed(1);
  expect(await counts()).toMatchObject({ staged: 0, refusals: 2 });
});

it("joins the running turn with `restart`", async () => {
  at = await surroundings({ LULL_WHILE_BUSY: "restart" });
  await at.start(1);
  at.openai.behave(({ lastUserText }, n) => (n === 1 ? { hang: true } : `re: ${lastUserText}`));
  await at.write(1, "one");
  await at.openai.arrival(1);
  await at.write(1, "two");
  await at.twilio.whenSent(1);
  expect(at.twilio.sent.map(({ body }) => body)).toEqual(["re: one\ntwo"]);
});
