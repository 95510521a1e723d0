import type { Log } from "../model/log.ts";

/** What a program that set up no log gets to see: what went wrong, one JSON object a line on stderr. Silence would hide a wrong key. */
export const warnings: Log = (level, event, fields = {}) => {
  if (level === "warn" || level === "error") console.error(JSON.stringify({ level, event, ...fields }));
};
