import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { type FakeWatiMessage, fakeWati } from "../../src/testing/fake-wati.ts";
import { botFolder } from "./bot-folder.ts";
import { type BufferRow, threadStore } from "./thread-store.ts";
import { takeAllTurns } from "./turns.ts";

const bot = botFolder();
const WA_ID = "50370000001";

let wati: ReturnType<typeof fakeWati>;
let stoppedAtMs = 0;
beforeEach(async () => {
  wati = fakeWati();
  await wati.start();
  vi.stubEnv("WATI_API_URL", `${wati.url}/7001`);
  vi.stubEnv("WATI_WEBHOOK_SECRET", "a-passkey-of-sixteen-letters");
  stoppedAtMs = Math.floor(Date.now() / 1_000) * 1_000 - 60_000;
});
afterEach(() => wati.stop());

/** WATI's clock is three seconds ahead of the bot's, by which these were written before or after its stop. */
const written = (seconds: number, text: string, listed: FakeWatiMessage["listed"] = {}) =>
  wati.add({ waId: WA_ID, text, owner: false, createdAtMs: stoppedAtMs + (seconds + 3) * 1_000, listed })
    .whatsappMessageId;

/** What the bot had buffered so many seconds before or after its stop. */
function buffered(...rows: readonly (readonly [seconds: number, text: string, type?: string])[]): void {
  const buffer = rows.map(([seconds, text, type = "text"]): BufferRow => {
    const at = new Date(stoppedAtMs + seconds * 1_000).toISOString().slice(0, 19).replace("T", " ");
    return { waId: WA_ID, text, at, type };
  });
  threadStore(bot.source, { buffer }).close();
}

const migrate = () => bot.lull(["migrate", "seed-wati", bot.source, "--apply", "--json"]);

/** Step 7 of the cut-over. */
async function catchUp(...more: string[]) {
  const since = new Date(stoppedAtMs).toISOString();
  const args = ["catch-up", "--channel", "wati", "--since", since, ...more];
  const { code, json, text, stderr } = await bot.lull(args);
  expect(code, stderr).toBe(0);
  return { text, result: json?.channels[0] };
}

test("what was moved is not fetched again at the end of the cut-over, and what was lost is", async () => {
  buffered([-3, "/tmp/audio.ogg", "audio"], [-2, "Quiero reservar"]);
  const audio = written(-3, "", { text: null, type: "audio", data: "https://wati.example/a.ogg" });
  const words = written(-2, "Quiero reservar");
  written(20, "¿Hay mesa?");
  await migrate();
  const { result } = await catchUp("--json");
  expect(result).toMatchObject({ listed: 3, new: 1, duplicates: 0, refused: 0, unattributed: [] });
  expect(result.moved).toEqual([
    { provider_id: audio, sender: WA_ID, sent_at: new Date(stoppedAtMs).toISOString() },
    { provider_id: words, sender: WA_ID, sent_at: new Date(stoppedAtMs + 1_000).toISOString() },
  ]);
  const turns = await bot.withTarget(takeAllTurns);
  expect(turns.map(({ texts }) => texts)).toEqual([["[audio: audio.ogg]", "Quiero reservar", "¿Hay mesa?"]]);
});

test("it shows what was not fetched, and why, also once all of it is answered", async () => {
  buffered([-2, "Quiero reservar"]);
  const moved = written(-2, "Quiero reservar");
  await migrate();
  expect(await bot.withTarget(takeAllTurns)).toHaveLength(1);
  const { text } = await catchUp();
  expect(text).toMatch(
    /^CHANNEL +LISTED +NEW +DUPLICATES +REFUSED +UNATTRIBUTED +MOVED\nwati +1 +0 +0 +0 +0 +1$/m,
  );
  expect(text).toContain(
    "wati: 1 not fetched, because a message that was moved in (lull migrate) says the same",
  );
  expect(text).toMatch(new RegExp(`${WA_ID} +${moved}`));
  expect(await bot.withTarget(takeAllTurns)).toEqual([]);
});
