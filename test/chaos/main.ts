import { randomInt } from "node:crypto";
import { parseArgs } from "node:util";
import { startEmulators } from "../../tools/aws-local/emulators.ts";
import { chaosStore } from "../aws/chaos-store.ts";
import { canForget } from "../sqlite/forgetful-disk.ts";
import { runChaos } from "./run-chaos.ts";

const { values } = parseArgs({
  options: {
    kills: { type: "string", default: "300" },
    workers: { type: "string", default: "4" },
    engine: { type: "string", default: "sqlite" },
    seed: { type: "string" },
    help: { type: "boolean", default: false },
  },
});

if (values.help) {
  console.log("npm run chaos -- [--kills 300] [--workers 4] [--engine sqlite|aws] [--seed N]");
} else {
  const seed = Number(values.seed ?? randomInt(2 ** 31));
  console.error(`seed ${seed}`);
  const emulators = values.engine === "aws" ? await startEmulators() : undefined;
  const report = await runChaos({
    kills: Number(values.kills),
    acknowledgedMin: 3 * Number(values.kills),
    workers: Number(values.workers),
    seed,
    ...(emulators && { store: await chaosStore(emulators) }),
    fillDisk: emulators === undefined && process.getuid?.() === 0,
    cutPower: emulators === undefined && canForget,
    onProgress: (line) => console.error(line),
  });
  await emulators?.stop();
  console.log(JSON.stringify(report, null, 2));
  const broken = report.lost.length + report.inTwoTurns.length + report.answeredTwice.length;
  console.log(`${report.acknowledged - broken} passed, ${broken} failed`);
  process.exitCode = broken > 0 ? 1 : 0;
}
