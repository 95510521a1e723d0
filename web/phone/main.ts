import { byId, show } from "../shared/dom.ts";
import { createServiceClock } from "../shared/service-clock.ts";
import { createChat } from "./chat.ts";
import { createComposer } from "./composer.ts";
import { createConnection } from "./connection.ts";
import { FeedReader } from "./feed-reader.ts";
import { mergeLog, unsent } from "./message-log.ts";
import { Outbox } from "./outbox.ts";
import { createPanel } from "./panel.ts";
import { drawState } from "./state-line.ts";
import { viewOf } from "./view.ts";
import type { Visitor } from "./visitor.ts";
import { VisitorStore } from "./visitor-store.ts";

const TICK_MS = 200;
const UNSENT = "Some messages were not sent yet. Start over without them?";

const channel = document.body.dataset.channel ?? "";
const clock = createServiceClock({
  nowMs: () => Date.now(),
  after(delayMs, run) {
    const timer = setTimeout(run, delayMs);
    return () => clearTimeout(timer);
  },
});
const visitors = new VisitorStore({
  channel,
  storage: () => localStorage,
  hash: () => location.hash,
});
const connection = createConnection({
  base: document.baseURI,
  channel,
  clock,
  signature: () => visitors.current.signature,
});
const reader = new FeedReader({
  visitors,
  connection,
  clock,
  isHidden: () => document.hidden,
  changed: render,
});
const outbox = new Outbox({
  visitors,
  connection,
  clock,
  answered() {
    render();
    void reader.poll();
  },
  changed: render,
});
const chat = createChat();
const drawPanel = createPanel();
const composer = createComposer(say);

function render(): void {
  const { items, now, rows, tally, hasExamples } = viewOf({
    log: visitors.current.log,
    feeds: reader.feeds(),
    current: reader.current(),
    feedFailed: reader.failed,
    retryAtMs: outbox.retryAtMs,
    nowMs: clock.nowMs(),
    serviceNowMs: clock.serviceNowMs(),
  });
  show(byId("empty"), items.length === 0);
  show(byId("chips"), hasExamples);
  show(byId("typing"), now.state === "answering");
  chat.draw(items);
  drawState(now);
  drawPanel(rows, tally);
  chat.toEnd();
}

function say(text: string): void {
  const trimmed = text.trim();
  if (trimmed === "") return;
  visitors.addMessage(trimmed, clock.serviceNowMs());
  chat.follow();
  render();
  void outbox.send();
}

function startOver(): void {
  if (unsent(visitors.current.log).length > 0 && !confirm(UNSENT)) return;
  // A link's visitor would be taken up again.
  if (location.hash !== "") history.replaceState(null, "", location.pathname + location.search);
  forgetConversations();
  visitors.startOver();
  composer.drawExamples();
  render();
  composer.focus();
}

function forgetConversations(): void {
  outbox.reset();
  reader.forget();
}

/** Another tab wrote something. */
function takeOver(theirs: Visitor): void {
  if (theirs.visitor === visitors.current.visitor) mergeLog(visitors.current.log, theirs.log);
  else {
    forgetConversations();
    visitors.current = theirs;
  }
  render();
}

function catchUp(): void {
  void reader.poll();
  void outbox.send();
}

byId("fresh").addEventListener("click", startOver);
document.addEventListener("visibilitychange", () => {
  if (!document.hidden) catchUp();
});
addEventListener("online", catchUp);
addEventListener("storage", ({ key, newValue }) => {
  if (key === visitors.key && newValue) takeOver(visitors.load());
});
setInterval(() => {
  const isCounting = !document.hidden && byId("state").dataset.state !== "idle";
  if (isCounting || outbox.retryAtMs > 0) render();
}, TICK_MS);

visitors.save();
composer.drawExamples();
render();
catchUp();
if (matchMedia("(min-width: 640px)").matches) composer.focus();
