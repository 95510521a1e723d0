import { byId, icon, make, setClass, setText, show } from "../shared/dom.ts";
import { keyedList } from "../shared/keyed-list.ts";
import { hourAndMinute } from "../shared/wording.ts";
import type { Item, OwnBubble, ReplyBubble, Rule, Tick } from "./timeline.ts";

/** The newest message counts as seen while it is this near. */
const NEAR_END_PX = 80;
const TICK_WORDS: Record<Tick, string> = {
  clock: "waiting to be sent",
  check: "delivered",
  checks: "answered",
  alert: "not delivered",
  unanswered: "could not be answered",
};

export interface Chat {
  draw(items: readonly Item[]): void;
  /** Shows the newest message, unless the visitor has scrolled up to read. */
  toEnd(): void;
  /** Whatever the visitor read before, from now on the newest message is shown. */
  follow(): void;
}

interface Row {
  readonly element: HTMLElement;
  readonly tick?: HTMLElement;
  readonly note: HTMLElement;
  /** It was there when the page was opened, and does not rise. */
  readonly isStill: boolean;
}

export function createChat(): Chat {
  const scroll = byId("scroll");
  let isFirstDraw = true;
  let isAtEnd = true;
  const drawItems = keyedList<Item, Row>(byId("log"), {
    create: (item) => newRow(item, isFirstDraw),
    update: (row, item, index, items) => {
      if (!("rule" in item)) drawBubble(row, item, items[index - 1], items[index + 1]);
    },
  });

  function toEnd(): void {
    if (isAtEnd) scroll.scrollTop = scroll.scrollHeight;
  }

  scroll.addEventListener("scroll", () => {
    isAtEnd = scroll.scrollHeight - scroll.scrollTop - scroll.clientHeight < NEAR_END_PX;
  });
  // The keyboard of a phone comes up, the line above the composer opens.
  new ResizeObserver(toEnd).observe(scroll);

  return {
    draw(items) {
      drawItems(items);
      isFirstDraw = false;
    },
    toEnd,
    follow() {
      isAtEnd = true;
    },
  };
}

function newRow(item: Item, isStill: boolean): Row {
  const note = make("div", "note");
  if ("rule" in item) return { element: make("div", "rule", item.rule), note, isStill };
  const element = make("div");
  const bubble = make("div", "bubble");
  bubble.dir = "auto";
  bubble.append(item.text);
  element.append(bubble, note);
  if (item.side === "in") return { element, note, isStill };
  const tick = make("span", "tick");
  bubble.append(tick);
  return { element, tick, note, isStill };
}

function drawBubble(
  row: Row,
  item: Exclude<Item, Rule>,
  previous: Item | undefined,
  next: Item | undefined,
): void {
  const isLast = sideOf(next) !== item.side;
  const names = [
    "item",
    item.side,
    item.side === "out" ? item.state : "",
    sideOf(previous) !== item.side ? "first" : "",
    isLast ? "last" : "",
    isUnanswered(item) ? "unanswered" : "",
    row.isStill ? "still" : "",
  ];
  setClass(row.element, names.filter((name) => name !== "").join(" "));
  if (row.tick && item.side === "out") drawTick(row.tick, item.tick);
  // What a whole burst has in common is said once, below it.
  const isSaidBelow = isUnanswered(item) && isUnanswered(next);
  drawNote(row.note, isSaidBelow ? { ...item, note: "" } : item, isLast);
}

function isUnanswered(item: Item | undefined): boolean {
  return item !== undefined && "tick" in item && item.tick === "unanswered";
}

function sideOf(item: Item | undefined): string | undefined {
  return item && "side" in item ? item.side : undefined;
}

function drawTick(element: HTMLElement, tick: Tick): void {
  if (element.dataset.tick === tick) return;
  element.dataset.tick = tick;
  element.replaceChildren(
    icon(tick === "unanswered" ? "alert" : tick),
    make("span", "heard", TICK_WORDS[tick]),
  );
  element.title = TICK_WORDS[tick];
}

function drawNote(element: HTMLElement, { note, at }: OwnBubble | ReplyBubble, isLast: boolean): void {
  setText(element, note || (isLast ? hourAndMinute(at) : ""));
  show(element, element.textContent !== "");
}
