import { expect, test, vi } from "vitest";
import { botFolder } from "./bot-folder.ts";
import { type BufferRow, threadStore } from "./thread-store.ts";
import { takeAllTurns } from "./turns.ts";

const bot = botFolder();

const migrate = async () =>
  (await bot.lull(["migrate", "seed-wati", bot.source, "--apply", "--json"])).json as object;

type Written = readonly [type: string, content: string, caption?: string];

/** What a responder is given of each row, which are those of as many customers. */
async function given(rows: readonly Written[]) {
  const at = "2026-01-01 10:00:00";
  const buffer = rows.map(([type, text, caption], n): BufferRow => {
    const waId = `503700000${n + 10}`;
    return { waId, type, text, at, ...(caption !== undefined && { caption }) };
  });
  threadStore(bot.source, { buffer }).close();
  expect(await migrate()).toMatchObject({ staged: rows.length, left: [], junk: [] });
  return bot.withTarget(async (engine) => {
    const turns = await takeAllTurns(engine);
    const { items } = await engine.inspector.conversations({ limit: 100 });
    const senders = new Map(items.map(({ id, sender }) => [id, sender]));
    const bySender = new Map(turns.map((turn) => [senders.get(turn.conversationId), turn]));
    return buffer.map(({ waId }) => {
      const { texts = [], media } = bySender.get(waId) ?? {};
      return { text: texts[0], media };
    });
  });
}

test("words stay whole, whatever their type and however much they look like a file", async () => {
  const rows: Written[] = [
    ["interactive", "Check-in 24/12 para 2/3 personas"],
    ["button", "Sí/No"],
    ["list", "/menu.pdf"],
    ["TEXT", "Hola a/b"],
    ["text", "C:\\bot\\plan.pdf"],
    ["location", "13.69/-89.21"],
    ["no type that we know", "https://wati.example/a"],
    ["audio", "transcribed: quiero mesa 24/12"],
    ["AUDIO", "24/12"],
    ["voice", "24.12/25.12"],
    ["audio", "sí/no\n/tmp/audio.ogg"],
    ["image", "mira https://wati.example/a.png"],
    ["image", "https://wati.example/a.png es mi recibo"],
    ["document", "https://"],
  ];
  expect(await given(rows)).toEqual(rows.map(([, text]) => ({ text, media: [] })));
});

test("of a file on the bot's machine only its name is kept", async () => {
  const rows: (readonly [type: string, content: string, caption: string, kept: string])[] = [
    ["audio", "/tmp/audio.ogg", "", "[audio: audio.ogg]"],
    ["audio", "audio.ogg", "listen", "listen\n[audio: audio.ogg]"],
    ["Audio", "media/50370000001/a-1.3gp", "", "[audio: a-1.3gp]"],
    ["voice", "/var/bot/AB12CD", "", "[voice: AB12CD]"],
    ["document", "C:\\bot\\plan.pdf", "", "[document: plan.pdf]"],
    ["document", "/home/bot/files of Ana/my plan.pdf", "", "[document: my plan.pdf]"],
    ["image", "../images/", "my receipt", "my receipt\n[image]"],
  ];
  const read = await given(rows.map(([type, content, caption]) => [type, content, caption]));
  expect(read).toEqual(rows.map(([, , , text]) => ({ text, media: [] })));
});

test("media keep their URL and their caption, in capitals as well", async () => {
  const urls = ["https://wati.example/file?fileName=data/images/a.jpg", "https://wati.example/A.png"];
  const [first, second] = urls as [string, string];
  const read = await given([
    ["image", first, "my receipt"],
    ["IMAGE", second.replace("https", "HTTPS")],
  ]);
  expect(read).toEqual([
    { text: "my receipt", media: [first] },
    { text: "", media: [second] },
  ]);
});

test("what stands beside words as a caption is said with them", async () => {
  const [read] = await given([["interactive", "Sí", "¿Reservamos?"]]);
  expect(read?.text).toBe("¿Reservamos?\nSí");
});

test("the same file is moved once, though it is read again under another time zone", async () => {
  const times = [
    "2026-01-01 10:00:00",
    "2026-01-01T10:00:00.5",
    "2026/01/01 10:00:00",
    "Thu, 01 Jan 2026 10:00:00",
    "2026-1-1 10:00:00",
    "1/1/2026, 10:00:00 AM",
    "2026-01-01 10:00:00 CST",
    "some day",
  ];
  const buffer = times.map((at, n) => ({ waId: `5037000000${n}`, text: "Hola", at }));
  threadStore(bot.source, { buffer }).close();
  vi.stubEnv("TZ", "America/El_Salvador");
  expect(await migrate()).toMatchObject({ staged: times.length, left: [] });
  vi.stubEnv("TZ", "Asia/Kolkata");
  expect(await migrate()).toMatchObject({ staged: 0, before: times.length, left: [] });
});
