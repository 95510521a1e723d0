import { icon, make } from "./dom.ts";

/** Copies a text, and shows that it did until it is left. */
export function copyButton(label: string, text: () => string | null, copied: () => void): HTMLButtonElement {
  const button = make("button", "copy");
  const draw = (isDone: boolean) => {
    button.replaceChildren(icon(isDone ? "check" : "copy"));
    button.classList.toggle("done", isDone);
  };
  button.type = "button";
  button.title = label;
  button.setAttribute("aria-label", label);
  button.addEventListener("click", async () => {
    if (!(await isCopied(text() ?? "", button))) return;
    draw(true);
    copied();
  });
  for (const leaving of ["blur", "pointerleave"]) button.addEventListener(leaving, () => draw(false));
  draw(false);
  return button;
}

/** Phones on the same network open http://192.168.…, where there is no clipboard: there it is the old way. */
async function isCopied(text: string, beside: HTMLElement): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const box = make("textarea", "heard");
    box.value = text;
    beside.after(box);
    box.select();
    const isDone = document.execCommand("copy");
    box.remove();
    beside.focus();
    return isDone;
  }
}
