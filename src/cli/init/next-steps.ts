import { relative } from "node:path";
import { version } from "../../process/version.ts";
import type { Choices } from "./choices.ts";
import type { LullSource } from "./lull-source.ts";
import type { Plan } from "./plan.ts";

/** A command, and what it is for. */
type Step = readonly [command: string, why: string];

interface Made {
  /** From where the person is to the project. */
  readonly path: string;
  readonly folder: string;
  readonly choices: Choices;
  readonly plan: Pick<Plan, "testCommand" | "isToInstall">;
  readonly source: LullSource;
}

/** Commands as they are typed, with what they are for. */
export function nextSteps(made: Made): string[] {
  const { path, choices, plan } = made;
  const steps: Step[] = [
    ...(path === "" ? [] : [[`cd ${path}`, ""] as const]),
    ...installing(made),
    [plan.testCommand, "the first test"],
    ...(choices.engine === "aws" ? deploying : running(choices)),
  ];
  const width = Math.max(...steps.map(([command]) => command.length));
  return steps.map(([command, why]) => (why === "" ? command : `${command.padEnd(width)}  # ${why}`));
}

function installing({ folder, choices, plan, source }: Made): readonly Step[] {
  if (source.kind === "to-pack") {
    const file = `lull-${version()}.tgz`;
    const clone = relative(folder, source.folder);
    // A bare name would be that of a package.
    return [
      [`npm pack ${clone.startsWith(".") ? clone : `./${clone}`}`, `makes ${file} of your clone of Lull`],
      [`npm install ./${file}`, "Lull itself, and the rest"],
    ];
  }
  if (!plan.isToInstall) return [];
  if (choices.engine === "aws") return [["npm install", "what the functions bring along"]];
  const isThere = source.kind === "installed";
  return [["npm install", isThere ? "the types, for your editor and npx tsc" : "Lull itself"]];
}

const deploying: readonly Step[] = [
  ["npx cdk deploy", "once aws/app.ts says your account and the secrets are made"],
];

function running({ channel, responder, deploy }: Choices): readonly Step[] {
  const needs = responder === "openai" ? "OPENAI_API_KEY is all it takes" : "no account needed";
  const service: Step = ["start your service", "the one that service.ts names: it answers"];
  return [
    ...(responder === "http" ? [service] : []),
    ["npx lull dev", `try it: a phone in the page, ${needs}`],
    ["cp .env.example .env", channel === "web" ? "before it is public" : "and fill it in"],
    [
      "npx lull doctor",
      `says what is missing${channel === "web" ? "" : ", and the URL to enter at your provider"}`,
    ],
    [START[deploy], "serve customers"],
  ];
}

const START: Readonly<Record<Choices["deploy"], string>> = {
  none: "npx lull start",
  compose: "docker compose up --build --detach",
  systemd: "see lull.service",
};
