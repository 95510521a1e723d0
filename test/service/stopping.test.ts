import { expect, it } from "vitest";
import { eventually } from "../lull-process.ts";
import { surroundings } from "./surroundings.ts";

const CUSTOMERS = 3;

it("a stop shorter than a send leaves it to settle: after the next start it was sent once", async () => {
  const at = await surroundings({ LULL_STOP_GRACE_SECONDS: "1", LULL_SETTLE_SECONDS: "8" });
  try {
    // Longer than the grace time, its margin, and the former wait after a known death together.
    at.twilio.behave(({ method }) => (method === "POST" ? { kind: "ok", afterMs: 10_000 } : { kind: "ok" }));
    const first = await at.start(2);
    await Promise.all(Array.from({ length: CUSTOMERS }, (_, customer) => at.write(customer, "hi")));
    const posts = () => at.twilio.requests.filter(({ method }) => method === "POST").length;
    await eventually("every send on its way", async () => (posts() === CUSTOMERS ? true : undefined));
    first.kill("SIGTERM");
    await first.gone();
    await at.start(2);
    await eventually("every turn", async () => ((await at.counts()).turns === CUSTOMERS ? true : undefined));
    expect(at.twilio.sent.map(({ to }) => to).sort()).toEqual(
      [...new Set(at.twilio.sent.map(({ to }) => to))].sort(),
    );
    expect(at.twilio.sent).toHaveLength(CUSTOMERS);
    expect(await at.counts()).toMatchObject({ staged: 0, dead: 0, unknown: 0 });
  } finally {
    await at.end();
  }
});
