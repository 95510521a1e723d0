import { randomInt } from "node:crypto";
import { parseArgs } from "node:util";
import { runChaos } from "./run-chaos.ts";

const { values } = parseArgs({
  options: {
    kills: { type: "string", default: "300" },
    workers: { type: "string", default: "4" },
    seed: { type: "string" },
    help: { type: "boolean", default: false },
  },
});

if (values.help) {
  console.log("npm run chaos -- [--kills 300] [--workers 4] [--seed N]");
} else {
  const seed = Number(values.seed ?? randomInt(2 ** 31));
  console.error(`seed ${seed}`);
  const report = await runChaos({
    kills: Number(values.kills),
    workers: Number(values.workers),
    seed,
    fillDisk: process.getuid?.() === 0,
    onProgress: (line) => console.error(line),
  });
  console.log(JSON.stringify(report, null, 2));
  const broken = report.lost.length + report.inTwoTurns.length + report.answeredTwice.length;
  console.log(`${report.acknowledged - broken} passed, ${broken} failed`);
  process.exitCode = broken > 0 ? 1 : 0;
}
