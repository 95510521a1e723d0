import { afterEach, expect, it } from "vitest";
import { LullError } from "../../src/errors.ts";
import { eventually } from "../lull-process.ts";
import { type Desk, desk } from "./desk.ts";

let at: Desk;
afterEach(() => at.close());

async function conversationId(): Promise<string> {
  const { items } = await (await at.lull.engine()).inspector.conversations({ limit: 1 });
  return items[0]!.id;
}
const show = async () => (await at.type("conversations", "show", await conversationId())).out;
const status = async () => (await at.type("status", "--port", "0")).out;
const locks = async () => (await at.type("locks")).out;

const PAUSES: [what: string, pause: string[], status: RegExp, show: RegExp, note: string][] = [
  [
    "a project",
    ["projects", "pause", "default"],
    /^paused +project default \(1 message waits\): lull projects resume default$/m,
    /^project default is paused: lull projects resume default$/m,
    "project paused",
  ],
  [
    "everything",
    ["pause"],
    /^paused +nobody is answered: lull resume$/m,
    /^Answering is paused: lull resume$/m,
    "all paused",
  ],
];

it.each(PAUSES)("what %s keeps back is shown as that, and not as late", async (_, pause, ...shown) => {
  const [inStatus, inShow, note] = shown;
  at = await desk(() => "we are");
  expect((await at.type(...pause)).code).toBe(0);
  await at.write("ana", "are you open?");
  expect(await status()).toMatch(inStatus);
  expect(await status()).toMatch(/^waiting +1 message in 1 conversation$/m);
  expect(await show()).toMatch(inShow);
  expect(await show()).not.toContain("due ");
  expect(await locks()).toMatch(new RegExp(`${note}$`, "m"));
  expect(await locks()).not.toContain("DUE");
});

const outOfOrder = () => {
  throw new LullError("503", { code: "DESK_UNAVAILABLE", retry: "later", retryAfterMs: 60_000 });
};

it("a paused conversation names the way back, and does not count as failing", async () => {
  at = await desk(() => {
    throw new LullError("500", { code: "OPENAI_UNAVAILABLE", retry: "later", retryAfterMs: 60_000 });
  });
  await at.write("ana", "are you open?");
  await eventually("it fails", async () => ((await status()).includes("failing") ? true : undefined));
  expect(await locks()).toMatch(/failing: OPENAI_UNAVAILABLE$/m);
  const id = await conversationId();
  const back = `lull conversations resume ${id}`;
  expect((await at.type("conversations", "pause", id)).out).toContain(`To go on: ${back}`);
  expect(await show()).toContain(`not tried while it is paused: ${back}`);
  expect(await show()).not.toContain("tried again");
  expect(await status()).not.toContain("failing");
  expect(await status()).toMatch(/^paused +1 conversation \(1 message waits\) is paused: /m);
  expect(await locks()).toMatch(/ paused$/m);
});

it("one that is with a human names the way back, and is tried: a target that fails is seen", async () => {
  at = await desk(() => "we are", { handOffTo: outOfOrder });
  await at.write("ana", "are you open?");
  const id = await eventually("it is there", () => conversationId().catch(() => undefined));
  const back = `lull conversations hand-back ${id}`;
  expect((await at.type("conversations", "hand-off", id)).out).toContain(`To give it back: ${back}`);
  await at.write("ana", "hello?");
  await eventually("it fails", async () => ((await status()).includes("failing") ? true : undefined));
  expect(await show()).toContain(`to give it back: ${back}`);
  expect(await show()).toMatch(/tried again in/);
  expect(await locks()).toMatch(/failing: DESK_UNAVAILABLE$/m);
});

it.each([
  ["its project", () => ["projects", "pause", "default"]],
  ["its conversation", (id: string) => ["conversations", "pause", id]],
])(
  "a reply that is written down goes out while %s is paused, and why it does not is seen",
  async (_, pause) => {
    at = await desk(() => "we are");
    at.channel.behave(() => ({
      kind: "not-sent",
      retry: "later",
      why: "provider away",
      retryAfterMs: 60_000,
    }));
    await at.write("ana", "are you open?");
    await eventually("it fails", async () => ((await status()).includes("failing") ? true : undefined));
    expect((await at.type(...pause(await conversationId()))).code).toBe(0);
    expect(await status()).toMatch(/^failing +.*provider away/m);
    expect(await show()).toMatch(/tried again in/);
    expect(await locks()).toMatch(/failing: NOT_SENT$/m);
  },
);

it("a key that is refused names the command that tries it, and the doctor warns", async () => {
  at = await desk(() => {
    throw new LullError("401", { code: "OPENAI_UNAUTHORIZED", retry: "later", retryAfterMs: 60_000 });
  });
  await at.write("ana", "are you open?");
  await eventually("it fails", async () => ((await status()).includes("failing") ? true : undefined));
  expect(await status()).toMatch(/^ +lull doctor tries the key$/m);
  expect(await show()).toContain("lull doctor tries the key");
  const { out } = await at.type("doctor", "--offline", "--port", "0");
  expect(out).toContain("warn  turns: 1 conversation fails: lull status says why");
});
