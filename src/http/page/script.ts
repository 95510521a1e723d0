import { SCRIPT_NETWORK } from "./script-network.ts";
import { SCRIPT_PANEL } from "./script-panel.ts";
import { SCRIPT_START } from "./script-start.ts";
import { SCRIPT_STORE } from "./script-store.ts";
import { SCRIPT_TIMELINE } from "./script-timeline.ts";
import { SCRIPT_VIEW } from "./script-view.ts";

/** Plain functions in one scope, in the order they build on each other. */
export const SCRIPT = [
  '(function () {\n"use strict";',
  SCRIPT_STORE,
  SCRIPT_TIMELINE,
  SCRIPT_NETWORK,
  SCRIPT_VIEW,
  SCRIPT_PANEL,
  SCRIPT_START,
  "})();",
].join("\n");
