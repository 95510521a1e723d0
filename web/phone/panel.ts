import { copyButton } from "../shared/copy-button.ts";
import { byId, make, setText, show } from "../shared/dom.ts";
import { keyedList } from "../shared/keyed-list.ts";
import { timeOfDay } from "../shared/wording.ts";
import type { PanelEvent } from "./events.ts";
import type { View } from "./view.ts";

export interface Panel {
  draw(view: Pick<View, "rows" | "tally" | "conversation">): void;
}

interface Row {
  readonly element: HTMLElement;
  readonly time: HTMLElement;
  readonly detail: HTMLElement;
  readonly help: HTMLElement;
}

/** "What happens": the timeline, and which conversation it is of. Commands are shown to developers. */
export function createPanel(showsCommands: boolean): Panel {
  const copied = () => setText(byId("copied"), "Copied.");
  const drawRows = keyedList<PanelEvent, Row>(byId("events"), {
    create: newRow,
    update: (row, event) => {
      // A message moves to when the service says that it arrived.
      setText(row.time, timeOfDay(event.at));
      setText(row.detail, event.detail);
      drawHelp(row.help, event.command ?? "", copied);
    },
  });
  const [id, command] = [byId("conversation-id"), byId("show-command")];
  byId("copy-id").append(copyButton("Copy the conversation’s id", () => id.textContent, copied));
  byId("copy-show").append(copyButton("Copy the command", () => command.textContent, copied));
  show(byId("show-line"), showsCommands);
  return {
    draw({ rows, tally, conversation }) {
      drawRows(rows);
      show(byId("events"), rows.length > 0);
      show(byId("no-events"), rows.length === 0);
      setText(byId("tally"), tally);
      show(byId("about"), conversation !== "");
      setText(id, conversation);
      setText(command, `npx lull conversations show ${conversation}`);
    },
  };
}

function newRow({ kind, what, term }: PanelEvent): Row {
  const element = make("li", "event");
  const words = make("div", "what");
  const time = make("time");
  const detail = make("span");
  const help = make("p", "help hidden");
  element.dataset.kind = kind;
  words.append(make("b", "", what), " ", detail, " ", make("small", "", term), help);
  element.append(time, make("i", "dot"), words);
  return { element, time, detail, help };
}

/** The command is there only as long as it helps. */
function drawHelp(element: HTMLElement, command: string, copied: () => void): void {
  show(element, command !== "");
  if (element.dataset.command === command) return;
  element.dataset.command = command;
  element.replaceChildren(
    make("code", "", command),
    copyButton("Copy the command", () => command, copied),
  );
}
