import { byId, make, setText, show } from "../shared/dom.ts";
import { keyedList } from "../shared/keyed-list.ts";
import { timeOfDay } from "../shared/wording.ts";
import type { PanelRow } from "./events.ts";

/** Draws "What happens". On narrow screens it is hidden, and costs nothing. */
export function createPanel(): (rows: readonly PanelRow[], tally: string) => void {
  const drawRows = keyedList(byId("events"), {
    create: newRow,
    update: ({ detail }, row) => setText(detail, row.detail),
  });
  return (rows, tally) => {
    drawRows(rows);
    show(byId("no-events"), rows.length === 0);
    setText(byId("tally"), tally);
  };
}

function newRow({ kind, what, at }: PanelRow): { element: HTMLElement; detail: HTMLElement } {
  const element = make("li", "event");
  const words = make("div", "what");
  const detail = make("span");
  element.dataset.kind = kind;
  words.append(make("b", "", what), " ", detail);
  element.append(make("time", "", timeOfDay(at)), make("i", "dot"), words);
  return { element, detail };
}
