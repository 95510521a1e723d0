import { execFile } from "node:child_process";
import { access } from "node:fs/promises";
import { join, relative, resolve } from "node:path";
import { promisify } from "node:util";
import { packageFolder } from "../../process/version.ts";
import type { Call, Command } from "../command.ts";
import { type Choices, choose, QUESTIONS } from "../init/choices.ts";
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
and .gitignore are added to, and no file of yours is replaced unasked. At the end it runs lull doctor.`,
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
    const lull = { folder: packageFolder(), isInstalled: await hasLull(folder) };
    const plan = await planned({ place, choices, lull });
    const written = await writePlan(call, folder, plan);
    const checked = lull.isInstalled && choices.engine !== "aws" ? await doctor(folder, call) : undefined;
    const next = nextSteps(relative(call.io.cwd, folder), choices, plan.testCommand, lull.isInstalled);
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

/** Found as the project's own files would find it. */
async function hasLull(folder: string): Promise<boolean> {
  try {
    await access(join(folder, "node_modules/lull/package.json"));
    return true;
  } catch {
    return false;
  }
}

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

/** Commands as they are typed, with what they are for. */
function nextSteps(
  path: string,
  { channel, responder, engine, deploy }: Choices,
  testCommand: string,
  isInstalled: boolean,
): string[] {
  const isReady = isInstalled && engine !== "aws";
  const steps: [string, string][] = [];
  if (path !== "") steps.push([`cd ${path}`, ""]);
  if (!isReady)
    steps.push(["npm install", engine === "aws" ? "what the functions bring along" : "Lull itself"]);
  steps.push([testCommand, "the first test"]);
  if (engine === "aws")
    steps.push(["npx cdk deploy", "once aws/app.ts says your account and the secrets are made"]);
  else {
    const needs = responder === "openai" ? "OPENAI_API_KEY is all it takes" : "no account needed";
    steps.push(["npx lull dev", `try it: a phone in the page, ${needs}`]);
    steps.push(["cp .env.example .env", channel === "web" ? "before it is public" : "and fill it in"]);
    steps.push(["npx lull doctor", "says what is missing, and the URL to enter at your provider"]);
    steps.push([START[deploy], "serve customers"]);
  }
  const width = Math.max(...steps.map(([command]) => command.length));
  return steps.map(([command, why]) => (why === "" ? command : `${command.padEnd(width)}  # ${why}`));
}

const START: Readonly<Record<Choices["deploy"], string>> = {
  none: "npx lull start",
  compose: "docker compose up --build --detach",
  systemd: "see lull.service",
};
