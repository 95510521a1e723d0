import { expect } from "vitest";
import { eventually } from "../../lull-process.ts";
import { type Door, PASSKEY, throughWati } from "../doors.ts";
import { type Environment, type Environments, environmentAmong } from "../outside.ts";
import { type Case, committed, type Platform, type RunningService } from "../platform.ts";

/** Longer than three messages with the seed's gaps in between. */
const FIVE_SECONDS = { LULL_WINDOW_SECONDS: "5" };

/** The seed's own gap: the subject of the test, not a wait. */
const twoSeconds = () => new Promise((resolve) => setTimeout(resolve, 2_000));

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
      environment: environment(FIVE_SECONDS),
      workers: 4,
      async run(at) {
        for (const text of ["Message 1", "Message 2", "Message 3"]) {
          expect(await door.write(at, 1, text)).toBe(200);
          if (text !== "Message 3") await twoSeconds();
        }
        await door.whenSent(at, 1);
        expect(at.openai.asked.map(({ lastUserText }) => lastUserText)).toEqual([
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
          return all.promise.then(() => "hello");
        });
        const statuses = await Promise.all([1, 2, 3, 4].map((customer) => door.write(at, customer, "Test")));
        expect(statuses).toEqual([200, 200, 200, 200]);
        await door.whenSent(at, 4);
        expect(new Set(door.sent(at).map(({ to }) => to)).size).toBe(4);
        expect(at.openai.asked).toHaveLength(4);
      },
    },
    {
      title: `a stale lease heals without a restart${how}`,
      environment: environment(platform.outlastsSoon),
      workers: 4,
      async run(at) {
        at.openai.behave((_, n) => (n === 1 ? { kind: "hang" } : "from another worker"));
        await door.write(at, 1, "hi");
        await at.openai.whenAsked(1);
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
        at.openai.behave((_, n) => (n === 1 ? { kind: "hang" } : "after the restart"));
        await door.write(at, 1, "hi");
        await at.openai.whenAsked(1);
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

const DEBUG = { LULL_LOG_LEVEL: "debug" };
const asWati =
  (more: Environment): Environments =>
  (people) => ({ ...environmentAmong(people, throughWati.environment), ...DEBUG, ...more });

/** What `curl -d` says a body is, unless it is told otherwise. */
const FORM = { "content-type": "application/x-www-form-urlencoded" };
const JSON_TYPE = { "content-type": "application/json" };

/** The seed's `curl` commands as they stand there: the passkey in the body, and neither an id nor a time. */
async function curl(at: RunningService, customer: number, text: string, headers: Environment) {
  const body = `{"waId":"5037000000${customer}","text":"${text}","passkey":"${PASSKEY}"}`;
  return (await at.post("/webhook", { body, headers })).status;
}

/** What the log says of windows: "Acquired lock and started timer", and "Another worker processing". */
const windowsIn = (at: RunningService) =>
  at.events.map(({ event }) => event).filter((event) => /^window\.(?:armed|joined)$/.test(event));

/** The requests of the seed's tests 1 and 2, and what its log is expected to show. */
export const curlCases: readonly Case[] = [
  {
    title: "the seed's Test 1 as it stands there: one window is opened, two messages join it, one answer",
    environment: asWati(FIVE_SECONDS),
    workers: 4,
    async run(at) {
      for (const n of [1, 2, 3]) {
        expect(await curl(at, 1, `Message ${n}`, JSON_TYPE)).toBe(200);
        if (n < 3) await twoSeconds();
      }
      await at.wati.whenSent(1);
      await committed(at, 1);
      expect(windowsIn(at)).toEqual(["window.armed", "window.joined", "window.joined"]);
      expect(at.openai.asked.map(({ lastUserText }) => lastUserText)).toEqual([
        "Message 1\nMessage 2\nMessage 3",
      ]);
      expect(throughWati.sent(at)).toEqual([
        { to: "50370000001", text: "answer to: Message 1\nMessage 2\nMessage 3" },
      ]);
    },
  },
  {
    title: "the seed's Test 2 as it stands there, a form to every server: four windows, and none is joined",
    environment: asWati({}),
    workers: 4,
    async run(at) {
      const customers = [1, 2, 3, 4];
      const statuses = await Promise.all(customers.map((customer) => curl(at, customer, "Test", FORM)));
      expect(statuses).toEqual([200, 200, 200, 200]);
      await at.wati.whenSent(4);
      await committed(at, 4);
      expect(windowsIn(at)).toEqual(Array(4).fill("window.armed"));
      expect(at.openai.asked).toHaveLength(4);
      const addressees = throughWati.sent(at).map(({ to }) => to);
      expect(addressees.sort()).toEqual(customers.map((customer) => `5037000000${customer}`));
    },
  },
];
