import { peerSettings } from "./peer-settings.ts";
import { serveWebhooks } from "./serve-webhooks.ts";
import { takeTurn } from "./take-turn.ts";

/** A map and timers: what is quickest, and gone with its process. */
const { port, windowMs, fakesUrl } = peerSettings();

interface Chat {
  staged: string[];
  isBusy: boolean;
  isDue: boolean;
}

const chats = new Map<string, Chat>();
const seen = new Set<string>();

async function work(from: string, chat: Chat): Promise<void> {
  chat.isDue = true;
  if (chat.isBusy) return;
  chat.isBusy = true;
  while (chat.isDue) {
    const texts = chat.staged;
    Object.assign(chat, { staged: [], isDue: false });
    await takeTurn(fakesUrl, from, texts).catch((error) => console.error("turn failed", error));
  }
  chat.isBusy = false;
  if (chat.staged.length === 0) chats.delete(from);
}

serveWebhooks(port, ({ id, from, text }) => {
  if (seen.has(id)) return undefined;
  seen.add(id);
  const chat = chats.get(from) ?? { staged: [], isBusy: false, isDue: false };
  chats.set(from, chat);
  chat.staged.push(text);
  if (chat.staged.length === 1) setTimeout(work, windowMs, from, chat);
  return undefined;
});
