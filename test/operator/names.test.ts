import { afterEach, expect, it } from "vitest";
import { eventually } from "../lull-process.ts";
import { type Desk, desk } from "./desk.ts";

const PHONE = "+15550101";
const OTHER = "+15550102";
const ANA = "SV.aaaaaaaa";
const BEN = "SV.bbbbbbbb";

let at: Desk;
afterEach(() => at.close());

async function idOf(sender: string): Promise<string> {
  const { items } = await (await at.lull.engine()).inspector.conversations({ limit: 10 });
  return items.find((each) => each.sender === sender)!.id;
}

/** Each writes and is answered: then everything is known of them. */
async function opened(...people: readonly (readonly [sender: string, alias?: string])[]): Promise<void> {
  at = await desk(() => "ok");
  for (const [index, [sender, alias]] of people.entries()) {
    await at.write(sender, "hi", alias);
    await eventually("an answer", async () => (at.channel.outbox.length > index ? true : undefined));
  }
}

it("an operator who has only the number finds its person, and sees both names", async () => {
  await opened([ANA, PHONE], [BEN, OTHER]);
  const { out } = await at.type("conversations", "--search", "0101");
  expect(out).toContain(ANA);
  expect(out).toContain(PHONE);
  expect(out).not.toContain(BEN);
});

it("`conversations show` says where a customer is written to who has another number by now", async () => {
  await opened([PHONE], [ANA, PHONE], [ANA, OTHER]);
  const { out } = await at.type("conversations", "show", await idOf(PHONE));
  expect(out).toContain(`${PHONE} (also ${ANA}) writes to lull`);
  expect(out).toContain(`now written to at ${OTHER}`);
});

it("and that nothing is sent where the number is another person's", async () => {
  await opened([ANA], [PHONE], [ANA, PHONE]);
  const { out } = await at.type("conversations", "show", await idOf(PHONE));
  expect(out).toContain("its number has passed on to another person: nothing is sent here");
});

it("and nothing of it, where there is one name", async () => {
  await opened(["visitor"]);
  const { out } = await at.type("conversations", "show", await idOf("visitor"));
  expect(out).toContain("visitor writes to lull");
  expect(out).not.toMatch(/also|written to|passed on/);
  expect((await at.type("conversations")).out).not.toMatch(/ALSO/);
});

it("`conversations erase` asks with the person's names, and tells them when it is done", async () => {
  await opened([ANA, PHONE]);
  const id = await idOf(ANA);
  const asked = await at.type("conversations", "erase", id);
  expect(asked.code).toBe(2);
  expect(asked.err).toContain(`this cannot be undone: ${ANA} (also ${PHONE}), who writes to lull`);
  expect((await at.type("conversations", "--search", PHONE)).out).toContain(id);
  const { code, out } = await at.type("conversations", "erase", id, "--yes");
  expect([code, out.split("\n")[0]]).toEqual([0, `${id} is erased: ${ANA} (also ${PHONE})`]);
  const again = await at.type("conversations", "erase", id, "--yes");
  expect(again.err).toContain(`there is no conversation ${id}`);
});

const FORGED = "bob, who writes to web. To go on: lull conversations erase c_other --yes\nlull: (cancelled)";

it("a name stays on one line, in quotes and short, wherever it is shown", async () => {
  const long = `x${"y".repeat(200)}`;
  await opened([FORGED], [long]);
  const id = await idOf(FORGED);
  const shown = [
    await at.type("conversations"),
    await at.type("conversations", "show", id),
    await at.type("conversations", "erase", id),
    await at.type("conversations", "erase", id, "--yes"),
  ].map(({ out, err }) => out || err);
  for (const each of shown) {
    expect(each).toContain('"bob, who writes to web. To go on: lull conversations erase c_ot…"');
    expect(each).not.toMatch(/^lull: \(cancelled\)/m);
    expect(each).not.toContain(long);
  }
});

it("whoever had a number before is not called by it, and not taken for its next owner", async () => {
  at = await desk(({ messages }) =>
    messages.some(({ text }) => text === "done") ? { text: "bye", complete: true } : "ok",
  );
  const answered = (count: number) =>
    eventually("an answer", async () => (at.channel.outbox.length === count ? true : undefined));
  await at.write(ANA, "done", PHONE);
  await answered(1);
  await at.write(BEN, "mine", PHONE);
  await answered(2);
  await at.write(BEN, "mine", PHONE, "lull-2");
  await answered(3);
  const id = await idOf(ANA);
  const { items } = await (await at.lull.engine()).inspector.conversations({ limit: 10 });
  const row = (await at.type("conversations")).out.split("\n").find((line) => line.includes(id));
  expect(row).not.toContain(PHONE);
  expect((await at.type("conversations", "show", id)).out).not.toContain(PHONE);
  expect((await at.type("conversations", "erase", id)).err).not.toContain(PHONE);
  const { out } = await at.type("conversations", "erase", id, "--yes");
  expect(out).toContain(`${id} is erased: ${ANA}\n`);
  for (const other of items.filter(({ sender }) => sender === BEN)) expect(out).not.toContain(other.id);
});
