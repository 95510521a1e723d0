import cluster from "node:cluster";
import type { Loaded } from "../../config/load.ts";
import type { Command } from "../command.ts";
import { runService } from "../serving/run-service.ts";
import { tellMisspelt } from "../serving/serve-here.ts";

export const dev: Command = {
  about: `Runs the service with a phone page at /: open the URL, write a few lines in a row, and get one
answer. No key is needed: without OPENAI_API_KEY (or a lull.config.ts) an echo answers.`,
  settings: "all",
  examples: ["lull dev", "lull dev --window 4", "OPENAI_API_KEY=sk-... lull dev --port 3000"],
  run: async (call) => {
    const loaded = await call.load("dev");
    if (!cluster.isWorker) tellMisspelt(call, loaded);
    if (!call.json && !cluster.isWorker) call.io.err(`${hint(loaded)}\n`);
    return runService(call, loaded, { supervised: false, showsReasons: true });
  },
};

function hint({ responder }: Loaded): string {
  const who =
    responder.kind === "echo"
      ? "The echo answers; set OPENAI_API_KEY for a model."
      : `Answers: ${responder.kind}.`;
  return `${who} Open the URL below, write a few lines in a row, wait for the lull. Ctrl-C stops it.`;
}
