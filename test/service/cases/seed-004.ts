import { expect } from "vitest";
import { eventually } from "../../lull-process.ts";
import type { Case, Platform } from "../platform.ts";

/** The three tests that the seed asks for. */
export const seedCases = (platform: Platform): readonly Case[] => [
  {
    title: "three messages two seconds apart from one customer get one answer with all three, and one reply",
    environment: { LULL_WINDOW_SECONDS: "5" },
    workers: 4,
    async run(at) {
      for (const text of ["Message 1", "Message 2", "Message 3"]) {
        expect((await at.write(1, text)).status).toBe(200);
        // The seed's own gap: the subject of the test, not a wait.
        if (text !== "Message 3") await new Promise((resolve) => setTimeout(resolve, 2_000));
      }
      await at.twilio.whenSent(1);
      expect(at.openai.requests.map(({ lastUserText }) => lastUserText)).toEqual([
        "Message 1\nMessage 2\nMessage 3",
      ]);
      expect(at.twilio.sent.map(({ body }) => body)).toEqual(["answer to: Message 1\nMessage 2\nMessage 3"]);
    },
  },
  {
    title: "four customers at once get four turns in parallel",
    workers: 4,
    async run(at) {
      let asked = 0;
      const all = Promise.withResolvers<void>();
      // No answer is given before all four are being made.
      at.openai.behave(() => {
        asked += 1;
        if (asked === 4) all.resolve();
        return { after: all.promise, answer: "hello" };
      });
      await Promise.all([1, 2, 3, 4].map((customer) => at.write(customer, "Test")));
      await at.twilio.whenSent(4);
      expect(new Set(at.twilio.sent.map(({ to }) => to)).size).toBe(4);
    },
  },
  {
    title: "a stale lease heals without a restart",
    environment: platform.outlastsSoon,
    workers: 4,
    async run(at) {
      at.openai.behave((_, n) => (n === 1 ? { hang: true } : "from another worker"));
      await at.write(1, "hi");
      await at.openai.arrival(1);
      // Frozen, not dead: its process is there, and no other can know that it will not go on.
      const holder = await at.holder();
      holder.kill("SIGSTOP");
      await at.twilio.whenSent(1);
      expect(at.twilio.sent.map(({ body }) => body)).toEqual(["from another worker"]);
      holder.kill("SIGCONT");
      await eventually("the slow worker to find its lease gone", async () =>
        at.events.find(({ event }) => event === "lease.lost"),
      );
      expect(at.twilio.sent).toHaveLength(1);
    },
  },
];
