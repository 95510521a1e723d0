import { expect } from "vitest";
import { atRest, type Case, committed, type Platform } from "../platform.ts";

const FORM = { "content-type": "application/x-www-form-urlencoded" };

/** What customers and providers do all day. */
export const trafficCases = (platform: Platform): readonly Case[] => [
  {
    title: "the same webhook five times, before, during and after its turn, is one turn",
    workers: 2,
    async run(at) {
      const answer = Promise.withResolvers<void>();
      at.openai.behave(() => answer.promise.then(() => "hello"));
      const { sid } = await at.write(1, "hi");
      expect((await at.write(1, "hi", { sid })).status).toBe(200);
      await at.openai.whenAsked(1);
      expect((await at.write(1, "hi", { sid })).status).toBe(200);
      answer.resolve();
      await committed(at, 1);
      expect((await at.write(1, "hi", { sid })).status).toBe(200);
      const { items } = (await at.api("/conversations")) as { items: { id: string }[] };
      const id = items[0]?.id;
      await at.api(`/conversations/${id}/close`, { method: "POST" });
      expect((await at.write(1, "hi", { sid })).status).toBe(200);
      expect(await atRest(at)).toMatchObject({ turns: 1, conversations: 1 });
      expect(at.twilio.sent).toHaveLength(1);
    },
  },
  {
    title: "two first messages of a new customer at the same instant on two workers make one conversation",
    environment: { LULL_WINDOW_SECONDS: "2" },
    workers: 2,
    async run(at) {
      for (let customer = 1; customer <= 20; customer += 1) {
        await Promise.all(["one", "two", "three"].map((text) => at.write(customer, text)));
      }
      expect(await at.counts()).toMatchObject({ conversations: 20 });
      await committed(at, 20);
    },
  },
  burstsOf(platform),
  {
    title: "texts of every kind go through unchanged",
    async run(at) {
      const texts = [
        "👩‍👩‍👧‍👦 hello 🇸🇻",
        "مرحبا، أريد الحجز",
        "שלום",
        "x".repeat(60 * 1024),
        "<b>&amp;\u0000</b>",
      ];
      // Not an echo: the longest of them is longer than a reply may be.
      at.openai.behave(() => "hello");
      for (const [customer, text] of texts.entries()) {
        expect((await at.write(customer, text)).status).toBe(200);
      }
      const media = {
        Body: "",
        NumMedia: "1",
        MediaUrl0: "https://api.twilio.com/x",
        MediaContentType0: "image/jpeg",
        NewField: "1",
      };
      expect((await at.write(90, "", { params: media })).status).toBe(200);
      await committed(at, texts.length + 1);
      const heard = at.openai.asked.map(({ lastUserText }) => lastUserText);
      for (const text of texts) expect(heard).toContain(text);
    },
  },
  {
    title: "wrong signatures and broken bodies are told apart and stage nothing",
    async run(at) {
      const forged = await at.post("/webhooks/whatsapp", {
        body: "MessageSid=SM1&From=a&To=b",
        headers: { ...FORM, "x-twilio-signature": "AAAA" },
      });
      expect(forged.status).toBe(403);
      const unsigned = await at.post("/webhooks/whatsapp", { body: "%%%", headers: FORM });
      expect(unsigned.status).toBe(403);
      const huge = await at.post("/webhooks/whatsapp", {
        body: "x".repeat(65_537),
        headers: { ...FORM, "x-twilio-signature": "AAAA" },
      });
      expect(huge.status).toBe(413);
      expect(await at.counts()).toMatchObject({ staged: 0, conversations: 0 });
    },
  },
  {
    title: "a message that arrives while the answer is made gets its own turn",
    workers: 2,
    async run(at) {
      const answer = Promise.withResolvers<void>();
      at.openai.behave(({ lastUserText }, n) =>
        n === 1 ? answer.promise.then(() => "first") : `re: ${lastUserText}`,
      );
      await at.write(1, "one");
      await at.openai.whenAsked(1);
      await at.write(1, "two");
      answer.resolve();
      await at.twilio.whenSent(2);
      expect(at.twilio.sent.map(({ body }) => body)).toEqual(["first", "re: two"]);
    },
  },
  {
    title: "is told when it is busy, in the answer to Twilio, once per running turn",
    environment: { LULL_WHILE_BUSY: "reject" },
    async run(at) {
      const answer = Promise.withResolvers<void>();
      at.openai.behave(() => answer.promise.then(() => "done"));
      await at.write(1, "one");
      await at.openai.whenAsked(1);
      expect((await at.write(1, "two")).body).toContain("<Message>");
      expect((await at.write(1, "three")).body).not.toContain("<Message>");
      answer.resolve();
      await at.twilio.whenSent(1);
      await committed(at, 1);
      expect(await at.counts()).toMatchObject({ staged: 0, refusals: 2 });
    },
  },
  {
    title: "joins the running turn with `restart`",
    environment: { LULL_WHILE_BUSY: "restart" },
    async run(at) {
      at.openai.behave(({ lastUserText }, n) => (n === 1 ? { kind: "hang" } : `re: ${lastUserText}`));
      await at.write(1, "one");
      await at.openai.whenAsked(1);
      await at.write(1, "two");
      await at.twilio.whenSent(1);
      expect(at.twilio.sent.map(({ body }) => body)).toEqual(["re: one\ntwo"]);
    },
  },
];

const SIZES = [1, 50, 500];

/** One turn each, or as few as a turn's limit allows. */
function burstsOf({ batchMessagesMax }: Platform): Case {
  const turns = SIZES.map((size) => Math.ceil(size / batchMessagesMax));
  return {
    title: `bursts of ${SIZES.join(", ")} messages are ${turns.join(", ")} turns, in order`,
    // It closes when the customers stop writing, however long a busy machine takes to write it all.
    environment: { LULL_WINDOW_QUIET_SECONDS: "4", LULL_WINDOW_MAX_SECONDS: "120" },
    workers: 2,
    async run(at) {
      await Promise.all(
        SIZES.map(async (size, customer) => {
          for (let from = 0; from < size; from += 10) {
            const together = Math.min(10, size - from);
            await Promise.all(
              Array.from({ length: together }, (_, n) => at.write(customer, `${customer}.${from + n}`)),
            );
          }
        }),
      );
      await committed(
        at,
        turns.reduce((sum, each) => sum + each),
      );
      const heard = at.openai.asked.map(({ lastUserText }) => lastUserText.split("\n"));
      for (const [customer, size] of SIZES.entries()) {
        const own = heard.filter(([first]) => first?.startsWith(`${customer}.`));
        expect(own).toHaveLength(turns[customer]!);
        const numbers = own.flat().map((text) => Number(text.split(".")[1]));
        expect(new Set(numbers).size).toBe(size);
        const blocks = numbers.map((n) => Math.floor(n / 10));
        expect(blocks).toEqual([...blocks].sort((a, b) => a - b));
      }
    },
  };
}
