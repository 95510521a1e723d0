import { twilio } from "../../src/channels/twilio/index.ts";
import { wati } from "../../src/channels/wati/index.ts";
import { web } from "../../src/channels/web/index.ts";
import { REFUSAL_CAUSES } from "../../src/cli/output/refusal-causes.ts";
import type { RefusalCode } from "../../src/model/refusal.ts";

const CHANNELS = { Twilio: twilio.sms(), WATI: wati({}), web: web() };

/** Each refusal as the channels answer it, and as the commands explain it. */
export function withRefusals(page: string): string {
  const rows = Object.entries(REFUSAL_CAUSES).map(([code, cause]) => {
    const statuses = Object.values(CHANNELS).map((channel) => {
      const { status } = channel.answer({ code: code as RefusalCode, detail: "why" });
      return String(status);
    });
    return `| \`${code}\` | ${statuses.join(" | ")} | ${cause} |`;
  });
  const head = `| code | ${Object.keys(CHANNELS).join(" | ")} | |`;
  const table = [head, "|---|---|---|---|---|", ...rows].join("\n");
  return page.replace(
    /<!-- refusals -->\n[\s\S]*?<!-- end -->/,
    () => `<!-- refusals -->\n\n${table}\n\n<!-- end -->`,
  );
}
