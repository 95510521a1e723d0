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
  expect((await at.type("dead")).out).not.toContain("WAS TO BE SAID");
  const text = `we are\u001b[31m open\n${"until late ".repeat(20)}`;
  await at.lull.say({ conversationId: first!.conversationId, text, author: "Eva" });
  await dead(2);
  const { out } = await at.type("dead");
  expect(out).toContain("WAS TO BE SAID");
  expect(out).toMatch(/Eva: we are \S*\s?open until late .*…/);
  expect(out).not.toContain("\u001b");
  const { items } = JSON.parse((await at.type("dead", "--json")).out);
  expect(items[0]).toMatchObject({ messages: [], outbounds: [{ author: "Eva", texts: [text.trim()] }] });
});
