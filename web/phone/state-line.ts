import { byId, setText } from "../shared/dom.ts";
import type { Situation } from "./situation.ts";

export function drawState(now: Situation): void {
  const line = byId("state");
  if (line.dataset.state !== now.state) line.dataset.state = now.state;
  setText(byId("presence"), now.presence);
  byId("presence").classList.toggle("bad", now.state === "trouble");
  // While the line closes, it keeps its words.
  if (now.state !== "idle") {
    setText(byId("state-text"), now.text);
    setText(byId("state-count"), now.count);
  }
  setText(byId("state-heard"), now.heard);
  byId("state-bar").style.transform = now.state === "gathering" ? `scaleX(${now.share.toFixed(4)})` : "";
}
