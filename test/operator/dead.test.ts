import { afterEach, expect, it } from "vitest";
import { eventually } from "../lull-process.ts";
import { type Desk, desk } from "./desk.ts";

let at: Desk;
afterEach(() => at.close());

it("`dead` shows what a human said that was not sent, shortened, and harmless to the terminal", async () => {
  at = await desk(() => "ok");
  at.channel.behave(() => ({ kind: "not-sent", retry: "never", why: "blocked" }));
  await at.write("visitor", "hi");
  const { inspector } = await at.lull.engine();
  const dead = (count: number) =>
    eventually("dead letters", async () => {
      const { items } = await inspector.dead({ limit: 10 });
      return items.length === count ? items : undefined;
    });
  const [first] = await dead(1);
  expect((await at.type("dead")).out).not.toContain("was to be said");
  const text = `we are\u001b[31m open\n${"until late ".repeat(20)}`;
  await at.lull.say({ conversationId: first!.conversationId, text, author: "Eva" });
  await dead(2);
  const { out } = await at.type("dead");
  expect(out).toMatch(/was to be said: Eva: we are \S*\s?open until late .*…/);
  expect(out).not.toContain("\u001b");
  const { items } = JSON.parse((await at.type("dead", "--json")).out);
  expect(items[0]).toMatchObject({ messages: [], outbounds: [{ author: "Eva", texts: [text.trim()] }] });
});

/** One letter, whose reason no retry mends. */
async function oneLetter(): Promise<{ readonly id: string; readonly conversationId: string }> {
  at = await desk(() => "ok");
  at.channel.behave(() => ({ kind: "not-sent", retry: "never", why: "blocked" }));
  await at.write("+15550101", "is my table booked?");
  const { inspector } = await at.lull.engine();
  return eventually("a dead letter", async () => (await inspector.dead({ limit: 1 })).items[0]);
}

it("`dead` shows who wrote, what, and why it got no answer", async () => {
  const { id, conversationId } = await oneLetter();
  const { out } = await at.type("dead");
  expect(out).toContain(`${id}\n  +15550101, `);
  expect(out).toContain(`in ${conversationId}\n  why: `);
  expect(out).toContain("  wrote: is my table booked?");
  expect(out).toContain("lull dead retry <id>");
});

it("`dead discard` asks first, then says in the log who dropped what", async () => {
  const { id, conversationId } = await oneLetter();
  const asked = await at.type("dead", "discard", id);
  expect(asked.code).toBe(2);
  expect(asked.err).toContain("this cannot be undone");
  expect(asked.err).toContain("is my table booked?");
  expect((await at.type("dead")).out).toContain(id);
  const { code, out, err } = await at.type("dead", "discard", id, "--yes");
  expect([code, out]).toEqual([0, "1 discarded"]);
  const [line] = err.split("\n").filter((each) => each.includes("dead.discarded"));
  expect(JSON.parse(line!)).toMatchObject({ deadLetter: id, conversation: conversationId, messages: 1 });
  expect(err).not.toMatch(/15550101|table/);
  expect((await at.type("dead", "discard", id, "--yes")).out).toContain(`there is no dead letter ${id}`);
});

it("the beginning of an id is enough where only one has it", async () => {
  const { id, conversationId } = await oneLetter();
  const shown = await at.type("conversations", "show", conversationId.slice(0, -3));
  expect(shown.out).toContain(`${conversationId}  `);
  expect((await at.type("dead", "retry", id.slice(0, -3))).out).toBe("1 retried");
  await at.write("+15550102", "hi");
  await eventually("another conversation", async () =>
    (await at.type("conversations")).out.includes("+15550102") ? true : undefined,
  );
  const several = await at.type("conversations", "pause", conversationId.slice(0, 2));
  expect(several.err).toContain(`${conversationId.slice(0, 2)} is too short for an id`);
});
