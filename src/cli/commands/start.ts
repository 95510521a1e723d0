import type { Command } from "../command.ts";
import { type How, runService, speaksForAll } from "../serving/run-service.ts";
import { serviceLog, tellMisspelt } from "../serving/serve-here.ts";

const HOW: How = { supervised: true, showsReasons: false };

export const start: Command = {
  about: `Runs the service. It prints one line, \`lull listening on <url>\`, when ready; logs go to stderr.

A parent supervises the worker, or with --workers N as many processes that all listen and take
turns. One that dies, or does not answer the parent for --hung seconds, is replaced, and its
conversations go on at once.

SIGTERM or Ctrl-C stops it: no new work, running turns finish within --grace seconds or give their
conversation back. A second signal stops at once. Nothing is lost either way.`,
  settings: "all",
  examples: [
    "lull start --workers 4",
    "TWILIO_WHATSAPP_FROM=+15550100 TWILIO_ACCOUNT_SID=AC... TWILIO_AUTH_TOKEN=... lull start",
    "lull start --quiet 4 --max 20",
  ],
  run: async (call) => {
    const loaded = await call.load("start");
    const { kind, origin } = loaded.responder;
    const isAsked = loaded.channels.some(({ project }) => project === undefined);
    const speaks = speaksForAll(call, loaded, HOW);
    if (speaks) tellMisspelt(call, loaded);
    if (speaks && kind === "echo" && origin === "default" && isAsked) {
      serviceLog(call, loaded)("warn", "responder.echo", {
        message:
          "no responder is configured: answers repeat what was said. " +
          "Set OPENAI_API_KEY, or respond in lull.config.ts",
      });
    }
    return runService(call, loaded, HOW);
  },
};
