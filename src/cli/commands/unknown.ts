import type { UnknownSend } from "../../model/unknown-send.ts";
import type { Engine } from "../../ports/engine.ts";
import { idLike } from "../by-prefix.ts";
import type { Command } from "../command.ts";
import { withData } from "../data.ts";
import { listCommand } from "../list-command.ts";
import { nameShown } from "../output/customer.ts";
import { printResult } from "../output/print.ts";
import { oneLine } from "../output/table.ts";
import { relativeTime } from "../output/times.ts";
import { CommandFailed, UsageError } from "../usage-error.ts";

export const list = listCommand<UnknownSend>(
  "Sends whose outcome the provider never told and could not be asked. " +
    "Look into your provider's log, then mark or resend.",
  (inspector, page) => inspector.unknown(page),
  (nowMs) => ({
    head: ["id", "when", "conversation", "channel", "to", "text"],
    row: ({ id, atMs, conversationId, channel, to, text, media = [] }) => [
      id,
      relativeTime(atMs, nowMs),
      conversationId,
      channel,
      nameShown(to),
      oneLine([text, ...media.map(({ contentType }) => `(${contentType})`)].join(" "), 60),
    ],
    none: "No unknown sends.",
  }),
);

export const mark: Command = {
  usage: "<id> sent|not-sent",
  about: "Takes a send off the list: you found out what became of it. Nothing is sent.",
  args: { required: ["<id>", "sent or not-sent"] },
  run: async (call) => {
    const [given, as] = call.args as [string, string];
    if (as !== "sent" && as !== "not-sent") throw new UsageError(`mark it sent or not-sent, not ${as}`);
    return withData(call, async ({ lull, engine }) => {
      const id = await unknownLike(engine, given);
      const result = await lull.markUnknown(id, as);
      if (result === "not-found") throw notFound(id);
      printResult(call, { id, result, as }, `${id} is marked ${as}`);
      return 0;
    });
  },
};

export const resend: Command = {
  usage: "<id>",
  about: "Sends what may not have gone out, as a turn of its own. The customer may get it twice.",
  args: { required: ["<id>"] },
  run: async (call) => {
    const [given] = call.args as [string];
    return withData(call, async ({ lull, engine }) => {
      const id = await unknownLike(engine, given);
      const result = await lull.resendUnknown(id);
      if (result === "not-found") throw notFound(id);
      printResult(call, { id, result }, `${id} will be sent when its conversation is free`);
      return 0;
    });
  },
};

function unknownLike({ inspector }: Engine, given: string): Promise<string> {
  return idLike(given, (page) => inspector.unknown(page));
}

function notFound(id: string): CommandFailed {
  return new CommandFailed(`there is no unknown send ${id}`);
}
