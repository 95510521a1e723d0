import { expect, it } from "vitest";
import { atRest } from "../../service/platform.ts";
import { describeOnFunctions, startLambdaService } from "./aws-platform.ts";

describeOnFunctions("a function whose time is nearly over", (emulation) => {
  it("gives its turn back before Lambda kills it, and the next one answers, once", async () => {
    // A further try after an outage is told at debug.
    const environment = { LULL_LOCAL_TIMEOUT_SECONDS: "4", LULL_LOG_LEVEL: "debug" };
    const at = await startLambdaService(emulation, environment);
    try {
      at.openai.behave((_, n) => (n === 1 ? { kind: "hang" } : "hello"));
      await at.write(1, "hi");
      await at.twilio.whenSent(1);
      expect(await atRest(at)).toMatchObject({ turns: 1, dead: 0, unknown: 0 });
      expect(at.twilio.sent.map(({ body }) => body)).toEqual(["hello"]);
      // No process was killed: the one that was asked first is still there.
      const [first, ...others] = at.events.filter(({ event }) => event === "lease.taken");
      expect(others.length).toBeGreaterThanOrEqual(1);
      expect(at.aws.functions.worker.instances.has(first!.instance)).toBe(true);
    } finally {
      await at.end();
    }
  });
});
