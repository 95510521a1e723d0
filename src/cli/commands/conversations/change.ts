import type { Conversation, ConversationChange } from "../../../model/conversation.ts";
import { type Call, type Command, textOption } from "../../command.ts";
import { withData } from "../../data.ts";
import { printResult } from "../../output/print.ts";
import { CommandFailed } from "../../usage-error.ts";

export const close = change(
  "Completes the task. The customer's next message opens a new conversation.",
  "is closed",
  () => ({ taskComplete: true }),
);

export const pause = change(
  "Stops answering this conversation. Messages are taken and stay staged.",
  "is paused; its messages are kept",
  () => ({ paused: true }),
);

export const resume = change(
  "Goes on answering this conversation. What was staged meanwhile is due at once.",
  "is answered again",
  () => ({ paused: false }),
);

export const handBack = change(
  "Gives the conversation back to the responder after a human had taken over.",
  "is with the responder again",
  () => ({ handedOff: false }),
);

export const handOff: Command = {
  ...change(
    "Hands the conversation to a human: messages are recorded, nothing is answered until `hand-back`.",
    "is with a human now",
    (call) => {
      const reason = textOption(call, "reason");
      return { handedOff: true, ...(reason !== undefined && { handOffReason: reason }) };
    },
  ),
  usage: "<id> [options]",
  options: { reason: { type: "string", value: "TEXT", help: "shown to the person who takes over" } },
};

function change(about: string, done: string, to: (call: Call) => ConversationChange): Command {
  return {
    usage: "<id>",
    about,
    args: { required: ["<id>"] },
    run: (call) =>
      withData(call, async ({ engine }) => {
        const [id] = call.args as [string];
        const conversation: Conversation | undefined = await engine.conversations.change(id, to(call));
        if (!conversation) throw new CommandFailed(`there is no conversation ${id}`);
        printResult(call, conversation, `${id} ${done}`);
        return 0;
      }),
  };
}
