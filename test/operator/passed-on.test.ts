import { afterEach, expect, it } from "vitest";
import { LullError } from "../../src/errors.ts";
import { eventually } from "../lull-process.ts";
import { type Desk, desk } from "./desk.ts";

const PHONE = "+15550101";
const ANA = "SV.aaaaaaaa";

let at: Desk;
afterEach(() => at.close());

async function dead(count: number) {
  const { inspector } = await at.lull.engine();
  return eventually("dead letters", async () => {
    const { items } = await inspector.dead({ limit: 10 });
    return items.length === count ? items : undefined;
  });
}

async function untilAnswered(count: number): Promise<void> {
  await eventually("answers", async () => (at.channel.outbox.length >= count ? true : undefined));
}

/** A stranger's letter whose number has become Ana's, and one of Ana's own. */
async function twoLetters(): Promise<{ readonly stranger: string; readonly ana: string }> {
  let isWell = false;
  at = await desk(({ text }) => {
    if (text.includes("poison") && !isWell) throw new LullError("no", { code: "NO", retry: "never" });
    return `you said ${text}`;
  });
  await at.write(ANA, "hello");
  await untilAnswered(1);
  await at.write(PHONE, "poison of a stranger");
  const [stranger] = await dead(1);
  await at.write(ANA, "poison of ana", PHONE);
  const letters = await dead(2);
  isWell = true;
  return { stranger: stranger!.id, ana: letters.find(({ id }) => id !== stranger!.id)!.id };
}

it("`dead retry` of a letter that cannot be sent says why, and leaves it as it is", async () => {
  const { stranger } = await twoLetters();
  const before = await dead(2);
  const { code, out } = await at.type("dead", "retry", stranger);
  expect(out).toMatch(/^0 retried\n\S+ is not retried: another person has come with/);
  expect(code).toBe(1);
  expect(await dead(2)).toEqual(before);
  expect((await at.type("dead", "discard", stranger, "--yes")).out).toBe("1 discarded");
});

it("`dead retry --all` leaves it, too, and retries the others", async () => {
  const { stranger } = await twoLetters();
  const { code, out } = await at.type("dead", "retry", "--all");
  expect(out).toMatch(/^1 retried\n\S+ is not retried: another person/);
  expect(code).toBe(0);
  await untilAnswered(2);
  expect(at.channel.outbox.map(({ text }) => text)).toEqual(["you said hello", "you said poison of ana"]);
  expect((await dead(1))[0]!.id).toBe(stranger);
});
