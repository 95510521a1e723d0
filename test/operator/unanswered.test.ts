import { afterEach, expect, it } from "vitest";
import { LullError } from "../../src/errors.ts";
import { eventually } from "../lull-process.ts";
import { type Desk, desk } from "./desk.ts";

let at: Desk;
afterEach(() => at.close());

async function shown(): Promise<string> {
  const { items } = await (await at.lull.engine()).inspector.conversations({ limit: 1 });
  return (await at.type("conversations", "show", items[0]!.id)).out;
}

const showing = (what: string) =>
  eventually(what, async () => {
    const out = await shown().catch(() => "");
    return out.includes(what) ? out : undefined;
  });

it("`conversations show` tells why a message got no answer, and the command that helps", async () => {
  at = await desk(() => {
    throw new LullError("the key was refused", { code: "OPENAI_UNAUTHORIZED", retry: "never" });
  });
  await at.write("ana", "are you open?");
  const out = await showing("NO ANSWER");
  expect(out).toContain("  why: OPENAI_UNAUTHORIZED: the key was refused (1 attempt)");
  expect(out).toContain("  wrote: are you open?");
  const [, command] = /once that is put right: lull (dead retry \S+)/.exec(out)!;
  expect((await at.type(...command!.split(" "))).out).toBe("1 retried");
});

it("and why it has none yet, since when, and when it is tried again", async () => {
  at = await desk(() => {
    throw new LullError("500", { code: "OPENAI_UNAVAILABLE", retry: "later", retryAfterMs: 60_000 });
  });
  await at.write("ana", "are you open?");
  const out = await showing("failing: ");
  expect(out).toMatch(/failing: OPENAI_UNAVAILABLE: 500\n +1 try failed, .*tried again in \d+ (s|min)/);
  expect(out).not.toContain("NO ANSWER");
});

it("and that an answer may not have arrived", async () => {
  at = await desk(() => "we are");
  at.channel.behave(() => ({ kind: "unknown", why: "the line broke" }));
  await at.write("ana", "are you open?");
  const out = await showing("MAY NOT HAVE ARRIVED");
  const words = async () => (await at.type("conversations")).out.match(/reply_\w+/g);
  expect([out.match(/reply_\w+/)?.[0], await words()]).toEqual(["reply_unknown", ["reply_unknown"]]);
  const [, id] = /the provider did not say: we are\n.*lull unknown resend (\S+), or/.exec(out)!;
  expect((await at.type("unknown", "mark", id!, "sent")).code).toBe(0);
  expect(await shown()).not.toContain("MAY NOT HAVE ARRIVED");
  expect(await words()).toEqual(["reply_sent"]);
});
