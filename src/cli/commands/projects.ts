import type { Lull } from "../../index.ts";
import { ACTIVE } from "../../model/project.ts";
import type { Project } from "../../runtime/projects.ts";
import type { Call, Command } from "../command.ts";
import { withData } from "../data.ts";
import { barredChannels } from "../muted-projects.ts";
import { printListing, printResult } from "../output/print.ts";
import { CommandFailed, UsageError } from "../usage-error.ts";

const HEAD = ["project", "status", "channel types", "set", "channels"];

export const list: Command = {
  about: "Projects, and what counts for all of their conversations now: as configured, or as it was set.",
  run: (call) =>
    withData(call, async ({ lull }) => {
      const items = await lull.projects();
      printListing(call, { items }, { head: HEAD, row: rowOf, none: "There is no project." });
      return 0;
    }),
};

function rowOf({ name, status, allowedChannels, changed, channels, paused }: Project): string[] {
  const types = allowedChannels?.join(", ") ?? "all";
  const shown = paused ? (status === ACTIVE ? "paused (messages kept)" : `${status}, paused`) : status;
  return [name, shown, types || "none", changed ? "while it ran" : "-", channels.join(", ")];
}

export const set: Command = {
  usage: "<project> [--status WORD] [--allow TYPES]",
  about: `Sets what counts for all conversations of a project, those that exist included, until it is reset.
Every status but active refuses messages with PROJECT_INACTIVE. It counts at once; on AWS within a second.`,
  options: {
    status: { type: "string", value: "WORD", help: "active, or any other word" },
    allow: { type: "string", value: "TYPES", help: "channel types, separated by commas; `all` for all" },
    "allowed-channels": { type: "string", value: "TYPES", help: "the same as --allow" },
  },
  args: { required: ["<project>"] },
  examples: ["lull projects set acme --status stopped", "lull projects set default --allow whatsapp,sms"],
  run: (call) => {
    const { status, allow = call.options["allowed-channels"] } = call.options;
    if (status === undefined && allow === undefined)
      throw new UsageError(`give --status or --allow; to pause: lull projects pause ${call.args[0]}`);
    return withData(call, async ({ lull }) => {
      const project = await lull.changeProject(call.args[0]!, {
        ...(typeof status === "string" && { status }),
        ...(typeof allow === "string" && { allowedChannels: typesIn(allow) }),
      });
      return tell(call, lull, project, (name) => `Back to the configuration: lull projects reset ${name}`);
    });
  },
};

export const pause: Command = {
  usage: "<project>",
  about: `Stops answering the customers of one project, for as long as you need. Messages are taken and stay
staged; a turn that runs may finish. What people say (conversations say) is sent.`,
  args: { required: ["<project>"] },
  run: (call) =>
    withData(call, async ({ lull }) => {
      const project = await lull.changeProject(call.args[0]!, { paused: true });
      return tell(call, lull, project, (name) => `Go on with: lull projects resume ${name}`);
    }),
};

export const resume: Command = {
  usage: "<project>",
  about: "Goes on answering the customers of one project. What was staged meanwhile is due at once.",
  args: { required: ["<project>"] },
  run: (call) =>
    withData(call, async ({ lull }) => {
      const project = await lull.changeProject(call.args[0]!, { paused: false });
      return tell(call, lull, project, () => "What waited is due at once.");
    }),
};

export const reset: Command = {
  usage: "<project>",
  about: "What is configured counts again for a project. A pause stays: `lull projects resume` ends it.",
  args: { required: ["<project>"] },
  run: (call) =>
    withData(call, async ({ lull }) => {
      const project = await lull.resetProject(call.args[0]!);
      return tell(call, lull, project);
    }),
};

function tell(
  call: Call,
  { settings }: Pick<Lull, "settings">,
  project: Project | "not-found",
  hint?: (name: string) => string,
): number {
  if (project === "not-found")
    throw new CommandFailed(`there is no project ${call.args[0]}; lull projects lists them`);
  const lines = [sentence(project, barredChannels(project, settings)), ...(hint ? [hint(project.name)] : [])];
  printResult(call, project, lines.join("\n"));
  return 0;
}

function typesIn(given: string): string[] {
  return given
    .split(",")
    .map((type) => type.trim())
    .filter((type) => type !== "");
}

function sentence({ name, status, allowedChannels, paused }: Project, barred: readonly string[]): string {
  const types = allowedChannels?.join(", ") ?? "all channel types";
  const refuses = status === ACTIVE ? "" : " Its customers' messages are refused, and not kept for later.";
  const bars = barred.length === 0 ? "" : ` What comes over ${barred.join(", ")} is refused.`;
  const keeps = paused ? " It is paused: messages are kept, and not answered." : "";
  return `Project ${name} is ${status}, with ${types || "no channel type"}.${refuses}${bars}${keeps}`;
}
