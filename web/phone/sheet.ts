import { byId } from "../shared/dom.ts";

/** From here on the panel stands beside the phone: `stage.css` says the same. */
const BESIDE = "(min-width: 960px)";

export interface Sheet {
  /** Beside the phone, or in the open sheet. */
  isPanelInSight(): boolean;
}

/**
 * Where there is no room beside the phone, the panel opens over it. A modal dialog: the browser keeps the
 * focus in it, gives it back, and closes it on Escape.
 */
export function createSheet(moved: () => void): Sheet {
  const sheet = byId<HTMLDialogElement>("sheet");
  const panel = byId("panel");
  const beside = matchMedia(BESIDE);

  byId("open-panel").addEventListener("click", () => {
    sheet.append(panel);
    sheet.showModal();
    moved();
  });
  byId("close-panel").addEventListener("click", () => sheet.close());
  sheet.addEventListener("click", ({ target }) => {
    if (target === sheet) sheet.close();
  });
  sheet.addEventListener("close", () => byId("tip").before(panel));
  beside.addEventListener("change", () => {
    if (sheet.open) sheet.close();
    moved();
  });
  return { isPanelInSight: () => beside.matches || sheet.open };
}
