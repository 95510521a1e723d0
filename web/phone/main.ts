import { byId, show } from "../shared/dom.ts";
import type { Clock } from "../shared/service-clock.ts";
import { createChat } from "./chat.ts";
import { createComposer } from "./composer.ts";
import { createPanel } from "./panel.ts";
import { Session } from "./session.ts";
import { createSheet } from "./sheet.ts";
import { drawState } from "./state-line.ts";

const TICK_MS = 200;
const UNSENT = "Some messages were not sent yet. Start over without them?";

const browserClock: Clock = {
  nowMs: () => Date.now(),
  after(delayMs, run) {
    const timer = setTimeout(run, delayMs);
    return () => clearTimeout(timer);
  },
};
const session = new Session({
  base: document.baseURI,
  channel: document.body.dataset.channel ?? "",
  clock: browserClock,
  storage: () => localStorage,
  isUnsigned: document.body.dataset.proofs === "none",
  hash: () => location.hash,
  forgetLink,
  accepts: (linked, kept) =>
    confirm(
      linked === kept
        ? `This is another link for ${linked}. Use it instead of the one that you have?`
        : `This link is for ${linked}. Until now you wrote here as ${kept}. Go on as ${linked}?`,
    ),
  isHidden: () => document.hidden,
  changed: render,
});
const chat = createChat();
const panel = createPanel(document.body.dataset.reasons === "shown");
const sheet = createSheet(render);
const composer = createComposer(say);

function render(): void {
  const view = session.view();
  const { items, now, hasExamples } = view;
  show(byId("empty"), items.length === 0);
  show(byId("chips"), hasExamples);
  show(byId("fresh"), !session.isSigned);
  show(byId("typing"), now.state === "answering");
  chat.draw(items);
  drawState(now);
  if (sheet.isPanelInSight()) panel.draw(view);
  chat.toEnd();
}

function say(text: string): void {
  const trimmed = text.trim();
  if (trimmed === "") return;
  chat.follow();
  session.say(trimmed);
}

function forgetLink(): void {
  if (location.hash !== "") history.replaceState(null, "", location.pathname + location.search);
}

function startOver(): void {
  if (session.hasUnsent && !confirm(UNSENT)) return;
  // Else the link's visitor would be taken up again.
  forgetLink();
  session.startOver();
  composer.drawExamples();
  render();
  composer.focus();
}

byId("fresh").addEventListener("click", startOver);
document.addEventListener("visibilitychange", () => {
  if (!document.hidden) session.catchUp();
});
addEventListener("online", () => session.catchUp());
addEventListener("storage", ({ key, newValue }) => {
  if (key !== session.key || !newValue) return;
  session.followOtherTab();
  render();
});
setInterval(() => {
  const isCounting = !document.hidden && byId("state").dataset.state !== "idle";
  if (isCounting || session.isRetrying) render();
}, TICK_MS);

composer.drawExamples();
render();
session.catchUp();
if (matchMedia("(min-width: 640px)").matches) composer.focus();
