import { afterEach, beforeEach, expect, test } from "vitest";
import { PASSKEY, throughWati } from "./doors.ts";
import { environmentAmong } from "./outside.ts";
import { type Surroundings, surroundings } from "./surroundings.ts";

let at: Surroundings;
beforeEach(async () => {
  at = await surroundings((people) => ({
    ...environmentAmong(people, throughWati.environment),
    TWILIO_SMS_FROM: "+15550100",
  }));
});
afterEach(() => at.end());

const texts = () => at.wati.sent.map(({ text }) => text);
const written = (text: string) => throughWati.write(at, 1, text);

async function catchUp(...options: string[]) {
  const command = at.lull("catch-up", "--since", "1h", "--channel", "wati", "--json", ...options);
  const { code } = await command.gone();
  return { code, out: command.stdout, said: command.stderr };
}

test("what WATI received while Lull was away is fetched and answered, and nothing twice", async () => {
  const service = await at.start();
  expect(await written("first")).toBe(200);
  await at.wati.whenSent(1);
  at.wati.add({ waId: "50370000001", text: "lost", owner: false });
  at.wati.add({ waId: "50370000002", text: "lost as well", owner: false });
  const { code, out } = await catchUp();
  expect(code).toBe(0);
  const [result] = (JSON.parse(out) as { channels: object[] }).channels;
  expect(result).toMatchObject({ channel: "wati", listed: 3, new: 2, duplicates: 1, unattributed: [] });
  await at.wati.whenSent(3);
  expect(texts().toSorted()).toEqual(["answer to: first", "answer to: lost", "answer to: lost as well"]);
  const again = JSON.parse((await catchUp()).out) as { channels: object[] };
  expect(again.channels).toMatchObject([{ listed: 3, new: 0, duplicates: 3 }]);
  const log = service.stderr + service.stdout;
  expect(log).not.toContain(PASSKEY);
  expect(log).not.toContain("50370000001");
});

test("behind a relay that leaves out WATI's ids, catching up says why it fetches nothing", async () => {
  await at.start();
  at.wati.add({ waId: "50370000001", text: "hi", owner: false });
  // As the seed's own test writes it.
  const body = JSON.stringify({ waId: "50370000001", text: "hi", passkey: PASSKEY });
  expect((await at.post("/webhook", { body })).status).toBe(200);
  await at.wati.whenSent(1);
  const { code, said } = await catchUp();
  expect(code).toBe(1);
  expect(said).toContain("webhooks have come without the provider's ids, through a relay");
  expect((await at.counts()).staged).toBe(0);
  expect(texts()).toEqual(["answer to: hi"]);
});

test("a provider that cannot be asked keeps no other from being asked", async () => {
  const command = at.lull("catch-up", "--since", "1h", "--json");
  at.wati.behave(() => ({ kind: "status", status: 404 }));
  expect(await command.gone()).toMatchObject({ code: 1 });
  const { channels } = JSON.parse(command.stdout) as { channels: object[] };
  expect(channels).toMatchObject([{ channel: "sms", listed: 0 }]);
  expect(command.stderr).toContain("lull: WATI answered 404; what was listed before that is in");
});
