import type { Command } from "../../command.ts";
import { withData } from "../../data.ts";
import { printResult } from "../../output/print.ts";
import { CommandFailed, UsageError } from "../../usage-error.ts";

export const erase: Command = {
  usage: "<id> --yes",
  about:
    "Erases the person: this conversation and every other at the same address of yours, under every name; messages, turns, what is " +
    "staged, drafts, dead letters, unknown sends, refusals. Only salted hashes of message ids stay for the dedupe time. It cannot be " +
    "undone, except from a backup.",
  options: { yes: { type: "boolean", help: "yes, erase it" } },
  args: { required: ["<id>"] },
  run: async (call) => {
    const [id] = call.args as [string];
    if (call.options.yes !== true)
      throw new UsageError(`this cannot be undone. To go on: lull conversations erase ${id} --yes`);
    return withData(call, async ({ engine }) => {
      const result = await engine.conversations.erase(id);
      if (result === "not-found") throw new CommandFailed(`there is no conversation ${id}`);
      const left =
        result === "erasing" ? (await engine.checks?.())?.find(({ check }) => check === "erased") : undefined;
      printResult(
        call,
        { id, result, ...(left && { left: left.detail }) },
        left ? `${id} is erased, but ${left.detail}` : `${id} is erased`,
      );
      return 0;
    });
  },
};
