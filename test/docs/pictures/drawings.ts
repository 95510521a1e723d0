import { latestResults } from "../../../bench/latest-results.ts";
import { drawPlot, PLOTS } from "../../../bench/plots.ts";
import { drawBurst } from "./burst.ts";
import { drawChart } from "./chart.ts";
import { COMPONENTS } from "./components.ts";
import { MESSAGE_AWS, MESSAGE_SQLITE } from "./messages.ts";
import { drawSequence } from "./sequence.ts";
import { CHUNK, CONVERSATION, TURN } from "./states.ts";

/** Every picture of the docs, by its file. */
export const DRAWINGS: Readonly<Record<string, () => string>> = {
  "docs/pictures/burst.svg": drawBurst,
  "docs/pictures/components.svg": () => drawChart(COMPONENTS),
  "docs/pictures/message-sqlite.svg": () => drawSequence(MESSAGE_SQLITE),
  "docs/pictures/message-aws.svg": () => drawSequence(MESSAGE_AWS),
  "docs/pictures/conversation.svg": () => drawChart(CONVERSATION),
  "docs/pictures/turn.svg": () => drawChart(TURN),
  "docs/pictures/chunk.svg": () => drawChart(CHUNK),
  ...Object.fromEntries(
    Object.entries(PLOTS).map(([file, plot]) => [file, () => drawPlot(latestResults(), plot)]),
  ),
};
