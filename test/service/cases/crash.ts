import { expect } from "vitest";
import { eventually } from "../../lull-process.ts";
import type { Environment } from "../outside.ts";
import { atRest, type Case, committed, type Platform, type RunningService } from "../platform.ts";

/** The provider takes a message, and does not answer. */
const TAKEN_IN_SILENCE = { kind: "hang", tookEffect: true } as const;

interface Sending {
  readonly title: string;
  /** What the provider is told to do. */
  readonly prepare: (at: RunningService) => void;
  /** When the worker that sends is killed. */
  readonly dies: (at: RunningService) => Promise<unknown>;
}

/** A worker dies while it sends, and the customer gets the reply once all the same. */
function sentOnce(environment: Environment, { title, prepare, dies }: Sending): Case {
  return {
    title,
    environment,
    workers: 2,
    async run(at) {
      prepare(at);
      await at.write(1, "hi");
      await dies(at);
      (await at.holder()).kill("SIGKILL");
      await committed(at, 1);
      expect(at.twilio.sent).toHaveLength(1);
      expect(await at.counts()).toMatchObject({ staged: 0, dead: 0, unknown: 0 });
    },
  };
}

/** kill -9 of one process that works on a conversation, while the others go on. */
export const deathCases = ({ healsSoon }: Platform): readonly Case[] => [
  {
    title: "while the answer is made: another one answers",
    environment: healsSoon,
    workers: 2,
    async run(at) {
      at.openai.behave((_, n) => (n === 1 ? { kind: "hang" } : "hello"));
      await at.write(1, "hi");
      await at.openai.whenAsked(1);
      (await at.holder()).kill("SIGKILL");
      await at.twilio.whenSent(1);
      await committed(at, 1);
      expect(await at.counts()).toMatchObject({ staged: 0, dead: 0, unknown: 0 });
    },
  },
  sentOnce(healsSoon, {
    title: "after the provider took the reply: the provider is asked, and the customer gets it once",
    prepare: ({ twilio }) =>
      twilio.behave(({ method }) => (method === "POST" ? TAKEN_IN_SILENCE : { kind: "ok" })),
    dies: ({ twilio }) => twilio.whenSent(1),
  }),
  sentOnce(healsSoon, {
    title: "while the provider still thinks about it: it is sent, once",
    prepare: ({ twilio }) =>
      twilio.behave(({ method }) => (method === "POST" ? { kind: "ok", afterMs: 3_000 } : { kind: "ok" })),
    dies: ({ twilio }) => twilio.nextRequest(),
  }),
  sentOnce(healsSoon, {
    title: "after the provider took it, while its list does not show it yet: it is sent, once",
    prepare: ({ twilio }) => {
      twilio.listAfter(3_000);
      twilio.behave(({ method }) => (method === "POST" ? TAKEN_IN_SILENCE : { kind: "ok" }));
    },
    dies: ({ twilio }) => twilio.whenSent(1),
  }),
  {
    title: "before the provider took it: it is sent, once",
    environment: healsSoon,
    workers: 2,
    async run(at) {
      let posts = 0;
      const posted = Promise.withResolvers<void>();
      at.twilio.behave(({ method }) => {
        if (method === "POST") posts += 1;
        posted.resolve();
        return method === "POST" && posts === 1 ? { kind: "hang" } : { kind: "ok" };
      });
      await at.write(1, "hi");
      await posted.promise;
      (await at.holder()).kill("SIGKILL");
      await at.twilio.whenSent(1);
      await committed(at, 1);
      expect(at.twilio.sent).toHaveLength(1);
    },
  },
];

/** kill -9 of all of them. */
export const crashCases = ({ healsSoon }: Platform): readonly Case[] => [
  {
    title: "inside the window: after a restart everything acknowledged is answered once",
    environment: { ...healsSoon, LULL_WINDOW_SECONDS: "4" },
    workers: 2,
    async run(at) {
      await Promise.all(
        [1, 2, 3].flatMap((customer) => [at.write(customer, "one"), at.write(customer, "two")]),
      );
      await at.crash();
      await at.twilio.whenSent(3);
      expect(at.openai.asked.map(({ lastUserText }) => lastUserText.split("\n").sort())).toEqual(
        Array(3).fill(["one", "two"]),
      );
    },
  },
  {
    title: "while answers are made and sent: nothing is lost or answered twice",
    environment: healsSoon,
    workers: 2,
    async run(at) {
      let posts = 0;
      // Of ten replies the provider takes some without an answer, and does not hear of others.
      at.twilio.behave(({ method }) => {
        if (method !== "POST") return { kind: "ok" };
        posts += 1;
        return posts > 10 ? { kind: "ok" } : { kind: "hang", tookEffect: posts % 2 === 0 };
      });
      await Promise.all(Array.from({ length: 10 }, (_, customer) => at.write(customer, "hi")));
      await eventually("ten sends under way", async () => (posts >= 10 ? true : undefined));
      await at.crash();
      await committed(at, 10);
      const to = at.twilio.sent.map((message) => message.to);
      expect(to).toHaveLength(10);
      expect(new Set(to).size).toBe(10);
      expect(await atRest(at)).toMatchObject({ dead: 0, unknown: 0 });
    },
  },
];

/** A provider that cannot be asked what became of a message. */
export const doubtCases: readonly Case[] = [
  {
    title: "leaves the send on the list of unknown sends, and the conversation goes on",
    environment: {
      LULL_SETTLE_SECONDS: "0.2",
      LULL_SEND_TIMEOUT_SECONDS: "0.5",
      LULL_RETRY_FOR_SECONDS: "1",
    },
    async run(at) {
      at.twilio.behave(() => ({ kind: "drop", tookEffect: true }));
      await at.write(1, "hi");
      await eventually("the unknown send", async () =>
        (await at.counts()).unknown === 1 ? true : undefined,
      );
      expect(await at.counts()).toMatchObject({ staged: 0, dead: 0, turns: 1 });
      at.twilio.behave(() => ({ kind: "ok" }));
      await at.write(1, "still there?");
      await committed(at, 2);
    },
  },
  {
    title: "is believed when its callback names the chunk",
    environment: { LULL_SEND_TIMEOUT_SECONDS: "0.5" },
    async run(at) {
      at.twilio.behave(({ method }) =>
        method === "POST" ? { kind: "hang", tookEffect: true } : { kind: "status", status: 500 },
      );
      await at.write(1, "hi");
      await at.twilio.whenSent(1);
      const [sent] = at.twilio.sent;
      expect(sent!.statusCallback).toMatch(
        /^https:\/\/bot\.example\.com\/webhooks\/whatsapp\/status\?n=.+\.0$/,
      );
      expect((await at.callBack(sent!)).status).toBe(200);
      await committed(at, 1);
      expect(await at.counts()).toMatchObject({ unknown: 0, staged: 0 });
      expect(at.twilio.sent).toHaveLength(1);
    },
  },
];
