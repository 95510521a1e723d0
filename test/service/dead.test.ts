import { expect, it } from "vitest";
import { eventually } from "../lull-process.ts";
import { surroundings } from "./surroundings.ts";

it("`dead retry --all` leaves out whose reply went out in part: it would be said again", async () => {
  const at = await surroundings();
  try {
    // The second message of a reply of two is refused for good; so is every answer to the other customer.
    at.openai.behave(({ lastUserText }) =>
      lastUserText === "long"
        ? `${"a".repeat(1_500)}\n\n${"b".repeat(1_500)}`
        : { kind: "error", status: 400 },
    );
    at.twilio.behave(({ method, body }) =>
      method === "POST" && body.includes("bbb")
        ? { kind: "error", status: 400, code: 21610 }
        : { kind: "ok" },
    );
    await at.start();
    await at.write(1, "long");
    await at.write(2, "hi");
    const dead = async () => {
      const listing = at.lull("dead", "--json");
      await listing.gone();
      return JSON.parse(listing.stdout).items as { id: string; reply_sent: string }[];
    };
    const letters = await eventually("two dead letters", async () => {
      const found = await dead();
      return found.length === 2 ? found : undefined;
    });
    const part = letters.find(({ reply_sent }) => reply_sent === "part")!;
    at.openai.behave(() => "hello");
    const retry = at.lull("dead", "retry", "--all");
    expect((await retry.gone()).code).toBe(0);
    expect(retry.stdout).toMatch(/^1 retried\n1 skipped: .* --also-sent: \S+\n$/);
    await at.twilio.whenSent(2);
    expect(await dead()).toMatchObject([{ id: part.id }]);
    const none = at.lull("dead", "retry", "--all", "--json");
    await none.gone();
    expect(JSON.parse(none.stdout)).toEqual({ results: [], skipped: [part.id] });
    expect((await at.lull("dead", "retry", "--all", "--also-sent").gone()).code).toBe(0);
    await at.twilio.whenSent(3);
    expect(at.twilio.sent.map(({ to }) => to).map((to) => to.slice(-1))).toEqual(["1", "2", "1"]);
  } finally {
    await at.end();
  }
});
