import type { Log } from "../model/log.ts";

/**
 * The log of a program that set up none: what went wrong, one JSON object a line on stderr. Silence would
 * hide a wrong key.
 */
export const warnings: Log = (level, event, fields = {}) => {
  if (level === "warn" || level === "error") console.error(JSON.stringify({ level, event, ...fields }));
};
