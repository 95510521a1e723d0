import { projectOf } from "../../core/projects.ts";
import type { Lull } from "../../index.ts";
import type { Refusal } from "../../model/refusal.ts";
import type { Page } from "../../ports/inspector.ts";
import { theirPages, UNBOUND } from "../../runtime/their-pages.ts";
import { type Call, type Command, PAGE_OPTIONS, pageOf, textOption } from "../command.ts";
import { withData } from "../data.ts";
import { nameShown } from "../output/customer.ts";
import { printListing } from "../output/print.ts";
import { refusalNotes } from "../output/refusal-causes.ts";
import { relativeTime } from "../output/times.ts";
import { wrapped } from "../output/wrapped.ts";
import { CommandFailed } from "../usage-error.ts";

export const refusals: Command = {
  usage: "[--channel NAME] [--project NAME]",
  about: `Messages that were refused as they came in, and why: the latest first. What is refused is not kept.
What was refused only when its turn came is kept, in its conversation: lull conversations show.`,
  options: {
    channel: { type: "string", value: "NAME", help: "only what came over this channel" },
    project: { type: "string", value: "NAME", help: "only what came over channels of this project" },
    ...PAGE_OPTIONS,
  },
  examples: ["lull refusals --project acme", "lull refusals --channel whatsapp --json"],
  run: (call) =>
    withData(call, async ({ lull, engine }) => {
      const isWanted = await wanted(call, lull);
      const read = theirPages((page: Page) => engine.inspector.refusals(page), isWanted, UNBOUND);
      const nowMs = call.io.nowMs();
      const listing = await read(pageOf(call));
      printListing(call, listing, {
        head: ["when", "code", "channel", "sender", "conversation"],
        row: ({ atMs, code, channel, sender, conversationId = "-" }) => [
          relativeTime(atMs, nowMs),
          code,
          channel,
          nameShown(sender),
          conversationId,
        ],
        none: "No refusals.",
      });
      const notes = refusalNotes(listing.items.map(({ code }) => code));
      const lines = notes.map((note) => wrapped(note, 2, call.io.columns));
      if (!call.json && notes.length > 0) call.io.out(`\n${lines.join("\n")}`);
      return 0;
    }),
};

/** A misspelt name would look like a channel that refuses nothing. */
async function wanted(
  call: Call,
  { settings, projects }: Pick<Lull, "settings" | "projects">,
): Promise<(refusal: Refusal) => boolean> {
  const [channel, project] = [textOption(call, "channel"), textOption(call, "project")];
  const known = project === undefined ? [] : (await projects()).map(({ name }) => name);
  requireKnown("channel", channel, Object.keys(settings.channels));
  requireKnown("project", project, known);
  return (refusal) =>
    (channel === undefined || refusal.channel === channel) &&
    (project === undefined || projectOf(settings, refusal.channel) === project);
}

function requireKnown(what: string, name: string | undefined, known: readonly string[]): void {
  if (name === undefined || known.includes(name)) return;
  throw new CommandFailed(`there is no ${what} ${name}; there are ${known.join(", ")}`);
}
