import { afterEach, expect, it } from "vitest";
import { eventually } from "../lull-process.ts";
import { type Surroundings, surroundings } from "./surroundings.ts";

let at: Surroundings;
afterEach(() => at.end());

it("three messages two seconds apart from one customer get one answer with all three, and one reply", async () => {
  at = await surroundings({ LULL_WINDOW_SECONDS: "5" });
  await at.start(4);
  for (const text of ["Message 1", "Message 2", "Message 3"]) {
    expect((await at.write(1, text)).status).toBe(200);
    // The seed's own gap: it is what is tested, not something waited for.
    if (text !== "Message 3") await new Promise((resolve) => setTimeout(resolve, 2_000));
  }
  await at.twilio.whenSent(1);
  expect(at.openai.requests.map(({ lastUserText }) => lastUserText)).toEqual([
    "Message 1\nMessage 2\nMessage 3",
  ]);
  expect(at.twilio.sent.map(({ body }) => body)).toEqual(["answer to: Message 1\nMessage 2\nMessage 3"]);
});

it("four customers at once get four turns in parallel", async () => {
  at = await surroundings();
  await at.start(4);
  let asked = 0;
  const all = Promise.withResolvers<void>();
  // Nobody is answered before everybody is being answered.
  at.openai.behave(() => {
    asked += 1;
    if (asked === 4) all.resolve();
    return { after: all.promise, answer: "hello" };
  });
  await Promise.all([1, 2, 3, 4].map((customer) => at.write(customer, "Test")));
  await at.twilio.whenSent(4);
  expect(new Set(at.twilio.sent.map(({ to }) => to)).size).toBe(4);
});

it("a stale lease heals without a restart", async () => {
  at = await surroundings({ LULL_LEASE_SECONDS: "2", LULL_SETTLE_SECONDS: "1" });
  const service = await at.start(4);
  at.openai.behave((_, n) => (n === 1 ? { hang: true } : "from another worker"));
  await at.write(1, "hi");
  await at.openai.arrival(1);
  const taken = await service.event("a lease", ({ event }) => event === "lease.taken");
  const ready = service.events.find(
    ({ event, worker }) => event === "worker.ready" && worker === taken.worker,
  );
  // Frozen, not dead: its process is there, and nobody can know that it will not go on.
  process.kill(Number(ready?.pid), "SIGSTOP");
  await at.twilio.whenSent(1);
  expect(at.twilio.sent.map(({ body }) => body)).toEqual(["from another worker"]);
  process.kill(Number(ready?.pid), "SIGCONT");
  await eventually("the slow worker to find its lease gone", async () =>
    service.events.find(({ event }) => event === "lease.lost"),
  );
  expect(at.twilio.sent).toHaveLength(1);
});
