import { execFile } from "node:child_process";
import { join, relative, resolve } from "node:path";
import { promisify } from "node:util";
import { packageFolder } from "../../process/version.ts";
import type { Call, Command } from "../command.ts";
import { choose, QUESTIONS } from "../init/choices.ts";
import { lullSource } from "../init/lull-source.ts";
import { nextSteps } from "../init/next-steps.ts";
import { placeAt } from "../init/place.ts";
import { planned } from "../init/plan.ts";
import { writePlan } from "../init/write-plan.ts";
import { printResult } from "../output/print.ts";
import { wrapped } from "../output/wrapped.ts";

const oneOf = (flag: keyof typeof QUESTIONS) => Object.keys(QUESTIONS[flag].answers).join(", ");

export const init: Command = {
  usage: "[folder] [options]",
  about: `Makes a project of your own: asks where customers write, who answers them and where it runs, then
writes lull.config.ts, .env.example and a test that passes, and what it takes to run it there. package.json
and .gitignore are added to, and no file of yours is replaced unasked. At the end it runs lull doctor, where
Lull is installed in that folder already and runs on one machine.`,
  options: {
    channel: { type: "string", value: "WORD", help: oneOf("channel") },
    responder: { type: "string", value: "WORD", help: oneOf("responder") },
    engine: { type: "string", value: "WORD", help: oneOf("engine") },
    deploy: { type: "string", value: "WORD", help: oneOf("deploy") },
    yes: { type: "boolean", help: "ask nothing: what is not said is the first of each" },
    force: { type: "boolean", help: "write files anew that are there" },
  },
  args: { required: [], optional: ["folder"] },
  examples: [
    "lull init",
    "lull init blue-door --channel whatsapp --responder openai --engine sqlite --deploy systemd",
  ],
  run: async (call) => {
    const folder = resolve(call.io.cwd, call.args[0] ?? ".");
    const place = await placeAt(folder);
    const choices = await choose(call);
    const source = await lullSource(place, packageFolder());
    const plan = await planned({ place, choices, source, packageFolder: packageFolder() });
    const written = await writePlan(call, folder, plan);
    const isChecked = source.kind === "installed" && choices.engine !== "aws";
    const checked = isChecked ? await doctor(folder, call) : undefined;
    const next = nextSteps({ path: relative(call.io.cwd, folder), folder, choices, plan, source });
    const lines = [
      wrapped(`Written to ${folder}: ${written.join(", ")}.`, 0, call.io.columns),
      ...(checked === undefined ? [] : ["", "lull doctor --offline:", checked]),
      "",
      "Next:",
      ...next.map((line) => `  ${line}`),
    ];
    printResult(call, { folder, written, next }, lines.join("\n"));
    return 0;
  },
};

/** The project's own Lull says it, from the project's own folder, as a person there would be told. */
async function doctor(folder: string, { io }: Call): Promise<string> {
  const main = join(folder, "node_modules/lull/bin/lull.js");
  const env = { ...io.env, COLUMNS: String(io.columns ?? "") };
  const options = { cwd: folder, env };
  try {
    return (
      await promisify(execFile)(process.execPath, [main, "doctor", "--offline"], options)
    ).stdout.trim();
  } catch (error) {
    // It found something to put right: at first there are no credentials.
    const { stdout, message } = error as Error & { stdout?: string };
    return (stdout || message).trim();
  }
}
