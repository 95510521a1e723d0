import { conversationLike } from "../../by-prefix.ts";
import { type Command, textOption } from "../../command.ts";
import { withData } from "../../data.ts";
import { printResult } from "../../output/print.ts";
import { CommandFailed } from "../../usage-error.ts";

export const say: Command = {
  usage: "<id> <text> [options]",
  about:
    "Says something to the customer, as a turn of its own: " +
    "it goes out when the conversation is free and the service runs.",
  options: {
    author: { type: "string", value: "NAME", help: "who says it (cli)" },
    channel: { type: "string", value: "NAME", help: "where the conversation may use several channels" },
    id: { type: "string", value: "TEXT", help: "saying twice with the same id says it once" },
  },
  args: { required: ["<id>", "<text>"] },
  examples: ['lull conversations say 7f3a "Your table is booked."'],
  run: async (call) => {
    const [given, text] = call.args as [string, string];
    const [channel, id] = [textOption(call, "channel"), textOption(call, "id")];
    return withData(call, async ({ lull, engine }) => {
      const conversationId = await conversationLike(engine, given);
      const result = await lull.say({
        conversationId,
        text,
        author: textOption(call, "author") ?? "cli",
        ...(channel !== undefined && { channel }),
        ...(id !== undefined && { id }),
      });
      if (result === "not-found") throw new CommandFailed(`there is no conversation ${conversationId}`);
      printResult(
        call,
        { conversationId, result },
        result === "staged" ? "It will be said." : "It was said before under this id.",
      );
      return 0;
    });
  },
};
