import type { Command } from "../command.ts";
import { withData } from "../data.ts";
import { printResult } from "../output/print.ts";

export const pause: Command = {
  about: "Stops answering everywhere. Messages are taken and stay staged; `lull resume` goes on with them.",
  run: (call) =>
    withData(call, async ({ lull }) => {
      await lull.pauseAll(true);
      printResult(call, { paused: true }, "Answering is paused. Messages are kept; go on with: lull resume");
      return 0;
    }),
};

export const resume: Command = {
  about: "Goes on answering everywhere. What was staged meanwhile is due at once.",
  run: (call) =>
    withData(call, async ({ lull }) => {
      await lull.pauseAll(false);
      printResult(call, { paused: false }, "Answering goes on.");
      return 0;
    }),
};
