import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { eventually, type LullProcess } from "../lull-process.ts";
import { type Surroundings, surroundings } from "../service/surroundings.ts";

const ANA = 101;
const BEN = 202;
/** As providers write it: with and without its sign. */
const PHONE = "50370000101";

let at: Surroundings;
let service: LullProcess;

beforeEach(async () => {
  at = await surroundings({
    LULL_LOG_LEVEL: "debug",
    LULL_WINDOW_SECONDS: "0.2",
    LULL_STAGED_MESSAGES_MAX: "3",
  });
  service = await at.start();
});

afterEach(() => at.end());

/** What the counts have to be in the end. */
function counted(what: string, holds: (counts: Readonly<Record<string, number>>) => boolean): Promise<true> {
  return eventually(what, async () => holds(await at.counts()) || undefined);
}

async function active(): Promise<string> {
  const { items } = (await at.api(`/conversations?active=true&search=${PHONE}`)) as {
    items: { id: string }[];
  };
  return items[0]!.id;
}

const post = (path: string, body: object = {}) =>
  at.api(path, {
    method: "POST",
    body: JSON.stringify(body),
    headers: { "content-type": "application/json" },
  });

async function answered(text: string, more: Record<string, string> = {}): Promise<string> {
  const { turns = 0 } = await at.counts();
  const { sid } = await at.write(ANA, text, { params: more });
  await counted(`the turn of ${text}`, (counts) => counts.turns === turns + 1 && counts.leases === 0);
  return sid;
}

/**
 * Tasks, a picture, a status, a dead letter, a refusal, a spoilt row, something said, something that waits.
 */
async function busyLife(): Promise<string> {
  const first = await answered("SECRET one");
  await post(`/conversations/${await active()}/close`);
  await answered(`SECRET two ${"long ".repeat(3_000)}`);
  await answered("", {
    NumMedia: "1",
    MediaUrl0: "https://example.test/SECRET.jpg",
    MediaContentType0: "image/jpeg",
  });
  await at.callBack(at.twilio.sent.at(-1)!);
  at.openai.behave(({ lastUserText }) => ({
    kind: "error",
    status: 400,
    message: `cannot read: ${lastUserText}`,
  }));
  await at.write(ANA, "SECRET three");
  await counted("a dead letter", ({ dead }) => dead === 1);
  const id = await active();
  await post(`/conversations/${id}/pause`);
  for (const text of ["SECRET spoilt", "SECRET four", "SECRET five", "SECRET too many"])
    await at.write(ANA, text);
  spoil(id);
  await post(`/conversations/${id}/say`, { text: "SECRET said" });
  await counted("what is spoilt, set aside", ({ quarantined }) => quarantined === 1);
  return first;
}

/** A spoilt row that still holds her number. */
function spoil(id: string): void {
  const database = new DatabaseSync(join(at.folder, "lull.db"), { timeout: 5_000 });
  const spoilt =
    "UPDATE staged SET item = replace(item, '\"text\":', '\"words\":') " +
    "WHERE sequence = (SELECT min(sequence) FROM staged WHERE conversation_id = ?)";
  expect(database.prepare(spoilt).run(id).changes).toBe(1);
  database.close();
}

/** Files whose bytes hold any of it. */
async function filesWith(...texts: string[]): Promise<string[]> {
  const names = (await readdir(at.folder)).toSorted();
  const contents = await Promise.all(names.map((name) => readFile(join(at.folder, name), "latin1")));
  return names.filter((_, index) => texts.some((text) => contents[index]!.includes(text)));
}

it("the number behind a logged id, or one told to OpenAI, is not found by trying all of them", async () => {
  await answered("hi");
  const id = await active();
  const key = { channelType: "whatsapp", address: "+14155238886", sender: `+${PHONE}` };
  const plain = createHash("sha256");
  for (const part of [key.channelType, key.address, key.sender, ""]) plain.update(`${part.length}:${part}`);
  const guessed = `c_${plain.digest("base64url").slice(0, 22)}`;
  expect(service.stderr).toContain(id);
  expect(service.stderr).not.toContain(guessed);
  const told = String(at.openai.asked.at(-1)?.body.safety_identifier);
  expect(told).toMatch(/^[0-9a-f]{64}$/);
  for (const guess of [guessed, PHONE, key.sender])
    expect(told).not.toBe(createHash("sha256").update(guess).digest("hex"));
});

describe("after a person is erased", () => {
  it("their texts and number are in no file: database, its log, a backup made then, our log", async () => {
    await at.write(BEN, "NEIGHBOUR");
    await counted("its turn", ({ turns }) => turns === 1);
    const sid = await busyLife();
    expect(await filesWith("SECRET", PHONE)).toContain("lull.db-wal");

    expect(await at.api(`/conversations/${await active()}`, { method: "DELETE" })).toEqual({
      result: "erased",
    });
    const backup = at.lull("backup", "copy.db");
    expect((await backup.gone()).code).toBe(0);
    expect(await readdir(at.folder)).toEqual(expect.arrayContaining(["lull.db", "lull.db-wal", "copy.db"]));
    expect(await filesWith("SECRET", PHONE)).toEqual([]);
    expect(await filesWith("NEIGHBOUR")).toEqual(expect.arrayContaining(["copy.db"]));
    for (const { stdout, stderr } of [service, backup])
      for (const text of ["SECRET", PHONE]) expect(`${stdout}${stderr}`).not.toContain(text);

    expect(await at.counts()).toMatchObject({
      conversations: 1,
      turns: 1,
      staged: 0,
      dead: 0,
      refusals: 0,
      quarantined: 0,
    });
    expect((await at.write(ANA, "SECRET one", { sid })).status).toBe(200);
    expect(await at.counts()).toMatchObject({ conversations: 1, staged: 0 });
  });

  it("the command does the same beside a service that runs", async () => {
    await answered("SECRET one");
    await post(`/conversations/${await active()}/close`);
    await answered("SECRET two");
    const erase = at.lull("conversations", "erase", await active(), "--yes", "--json");
    expect((await erase.gone()).code).toBe(0);
    expect(JSON.parse(erase.stdout)).toMatchObject({ result: "erased" });
    expect(await filesWith("SECRET", PHONE)).toEqual([]);
    expect(`${service.stderr}${erase.stderr}`).not.toContain(PHONE);

    const compact = at.lull("compact", "--json");
    expect((await compact.gone()).code).toBe(0);
    expect(JSON.parse(compact.stdout)).toEqual({
      bytes: expect.any(Number),
      bytes_before: expect.any(Number),
    });
    await answered("hello again");
  });
});
