import { expect } from "vitest";
import { eventually } from "../../lull-process.ts";
import type { Door } from "../doors.ts";
import { type Environment, type Environments, environmentAmong } from "../outside.ts";
import { type Case, committed, type Platform } from "../platform.ts";

/** The three tests that the seed asks for, through a provider. */
export const seedCases = (platform: Platform, door: Door): readonly Case[] => {
  const { how } = door;
  const threeInOne =
    "three messages two seconds apart from one customer get one answer with all three, and one reply";
  const environment =
    (more: Environment = {}): Environments =>
    (people) => ({ ...environmentAmong(people, door.environment), ...more });
  return [
    {
      title: threeInOne + how,
      environment: environment({ LULL_WINDOW_SECONDS: "5" }),
      workers: 4,
      async run(at) {
        for (const text of ["Message 1", "Message 2", "Message 3"]) {
          expect(await door.write(at, 1, text)).toBe(200);
          // The seed's own gap: the subject of the test, not a wait.
          if (text !== "Message 3") await new Promise((resolve) => setTimeout(resolve, 2_000));
        }
        await door.whenSent(at, 1);
        expect(at.openai.requests.map(({ lastUserText }) => lastUserText)).toEqual([
          "Message 1\nMessage 2\nMessage 3",
        ]);
        const texts = door.sent(at).map(({ text }) => text);
        expect(texts).toEqual(["answer to: Message 1\nMessage 2\nMessage 3"]);
      },
    },
    {
      title: `four customers at once get four turns in parallel${how}`,
      environment: environment(),
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
        const statuses = await Promise.all([1, 2, 3, 4].map((customer) => door.write(at, customer, "Test")));
        expect(statuses).toEqual([200, 200, 200, 200]);
        await door.whenSent(at, 4);
        expect(new Set(door.sent(at).map(({ to }) => to)).size).toBe(4);
        expect(at.openai.requests).toHaveLength(4);
      },
    },
    {
      title: `a stale lease heals without a restart${how}`,
      environment: environment(platform.outlastsSoon),
      workers: 4,
      async run(at) {
        at.openai.behave((_, n) => (n === 1 ? { hang: true } : "from another worker"));
        await door.write(at, 1, "hi");
        await at.openai.arrival(1);
        // Frozen, not dead: its process is there, and no other can know that it will not go on.
        const holder = await at.holder();
        holder.kill("SIGSTOP");
        await door.whenSent(at, 1);
        expect(door.sent(at).map(({ text }) => text)).toEqual(["from another worker"]);
        holder.kill("SIGCONT");
        await eventually("the slow worker to find its lease gone", async () =>
          at.events.find(({ event }) => event === "lease.lost"),
        );
        expect(door.sent(at)).toHaveLength(1);
      },
    },
    {
      title: `after a crash in the middle of a turn, a restart frees the lease and answers unasked${how}`,
      environment: environment(platform.healsSoon),
      workers: 4,
      async run(at) {
        at.openai.behave((_, n) => (n === 1 ? { hang: true } : "after the restart"));
        await door.write(at, 1, "hi");
        await at.openai.arrival(1);
        await at.crash();
        await door.whenSent(at, 1);
        await committed(at, 1);
        expect(door.sent(at).map(({ text }) => text)).toEqual(["after the restart"]);
        expect(await at.counts()).toMatchObject({ staged: 0, leases: 0, dead: 0, unknown: 0 });
        if (platform.tellsStale)
          expect(at.events).toContainEqual(expect.objectContaining({ event: "lease.stale", freed: 1 }));
      },
    },
  ];
};
