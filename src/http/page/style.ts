import { STYLE_BASE } from "./style-base.ts";
import { STYLE_CHAT } from "./style-chat.ts";
import { STYLE_PANEL } from "./style-panel.ts";

export const STYLE = [STYLE_BASE, STYLE_CHAT, STYLE_PANEL].join("\n");
