import type { Conversation } from "../../../model/conversation.ts";
import type { Operating } from "../../../runtime/operating.ts";
import { conversationLike } from "../../by-prefix.ts";
import { type Call, type Command, textOption } from "../../command.ts";
import { withData } from "../../data.ts";
import { printResult } from "../../output/print.ts";
import { CommandFailed } from "../../usage-error.ts";

export const close = change(
  "Completes the task. The customer's next message opens a new conversation.",
  "is closed",
  ({ lull, id }) => lull.close(id),
);

export const pause = change(
  "Stops answering this conversation. Messages are taken and stay staged.",
  (id) => `is paused; its messages are kept. To go on: lull conversations resume ${id}`,
  ({ lull, id }) => lull.pause(id),
);

export const resume = change(
  "Goes on answering this conversation. What was staged meanwhile is due at once.",
  "is answered again",
  ({ lull, id }) => lull.resume(id),
);

export const handBack = change(
  "Gives the conversation back to the responder after a human had taken over.",
  "is with the responder again",
  ({ lull, id }) => lull.handBack(id),
);

export const handOff: Command = {
  ...change(
    "Hands the conversation to a human: messages are recorded, nothing is answered until `hand-back`.",
    (id) => `is with a human now. To give it back: lull conversations hand-back ${id}`,
    ({ lull, id, call }) => lull.handOff(id, textOption(call, "reason")),
  ),
  usage: "<id> [options]",
  options: { reason: { type: "string", value: "TEXT", help: "shown to the person who takes over" } },
};

interface Asked {
  readonly lull: Operating;
  readonly id: string;
  readonly call: Call;
}

function change(
  about: string,
  done: string | ((id: string) => string),
  carryOut: (asked: Asked) => Promise<Conversation | "not-found">,
): Command {
  return {
    usage: "<id>",
    about,
    args: { required: ["<id>"] },
    run: (call) =>
      withData(call, async ({ lull, engine }) => {
        const id = await conversationLike(engine, call.args[0]!);
        const conversation = await carryOut({ lull, id, call });
        if (conversation === "not-found") throw new CommandFailed(`there is no conversation ${id}`);
        printResult(call, conversation, `${id} ${typeof done === "string" ? done : done(id)}`);
        return 0;
      }),
  };
}
