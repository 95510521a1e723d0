import { byId, make } from "../shared/dom.ts";

const EXAMPLES = ["Hi", "I’d like to book a table", "for two", "tomorrow at 8"];
/** Its border is not part of what it scrolls. */
const BORDER_PX = 2;

export interface Composer {
  focus(): void;
  /** Offers every example again. */
  drawExamples(): void;
}

/** Where the visitor writes, or picks an example. */
export function createComposer(say: (text: string) => void): Composer {
  const form = byId<HTMLFormElement>("composer");
  const box = byId<HTMLTextAreaElement>("text");
  const button = byId<HTMLButtonElement>("send");

  function resize(): void {
    box.style.height = "auto";
    box.style.height = `${box.scrollHeight + BORDER_PX}px`;
    button.disabled = box.value.trim() === "";
  }

  form.addEventListener("submit", (event) => {
    event.preventDefault();
    say(box.value);
    box.value = "";
    resize();
  });
  box.addEventListener("input", resize);
  box.addEventListener("keydown", (event) => {
    // While an input method composes, Enter chooses a word.
    if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    form.requestSubmit();
  });
  // The keyboard of a phone must stay up between two messages.
  button.addEventListener("pointerdown", (event) => event.preventDefault());
  resize();

  return {
    focus: () => box.focus(),
    drawExamples: () => byId("chips").replaceChildren(...EXAMPLES.map((text) => example(text, say))),
  };
}

function example(text: string, say: (text: string) => void): HTMLElement {
  const chip = make("button", "", text);
  chip.type = "button";
  chip.addEventListener("click", () => {
    chip.remove();
    say(text);
  });
  return chip;
}
