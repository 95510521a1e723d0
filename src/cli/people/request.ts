import type { Lull } from "../../index.ts";
import type { PeoplesRights, PersonRequest } from "../../runtime/people.ts";
import { type Call, type Options, requiredOption, textOption } from "../command.ts";
import { counted } from "../output/counted.ts";
import { progress } from "../output/progress.ts";
import { CommandFailed } from "../usage-error.ts";

/** Whom a command is about, and where to look. */
export const PERSON_OPTIONS: Options = {
  customer: {
    type: "string",
    value: "ADDRESS",
    help: "the person's number (any spelling), mail address or user id",
  },
  project: { type: "string", value: "NAME", help: "only as a customer of this project" },
  channel: { type: "string", value: "NAME", help: "only what came over this channel" },
};

export function personIn(call: Call): PersonRequest {
  const customer = requiredOption(call, "customer", "whom it is about, such as +15550100");
  const channel = textOption(call, "channel");
  return { customer, thorough: true, ...(channel !== undefined && { channel }) };
}

/** A misspelt project would look like one in which the person is not. */
export async function rightsWithin(call: Call, lull: Lull): Promise<PeoplesRights> {
  const project = textOption(call, "project");
  if (project === undefined) return lull;
  const known = (await lull.projects()).map(({ name }) => name);
  if (!known.includes(project))
    throw new CommandFailed(`there is no project ${project}; there are ${known.join(", ")}`);
  return lull.forProject(project);
}

/** Told after a second: how much was looked through. */
export function looking(call: Call) {
  const shown = progress(call.io);
  const onProgress = ({ pages, rows }: { readonly pages: number; readonly rows: number }) =>
    shown.update(`${counted(pages, "page")} looked through, ${counted(rows, "row")}`);
  return { options: { onProgress }, end: () => shown.end() };
}

/** A terminal's own words for a command line. */
export function quoted(given: string): string {
  return /^[\w+.@:/-]+$/.test(given) ? given : `'${given.replaceAll("'", "'\\''")}'`;
}
