import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { expect, test } from "vitest";
import { offerCompanion } from "./companion.ts";

const COMPANION = new URL("./companion.ts", import.meta.url).href;

/** A module that says what it was given, and whether it would act. */
const OFFERED = new URL(
  `data:text/javascript,${encodeURIComponent(`
    import { parentPort } from "node:worker_threads";
    const { actsAlone, companionData } = await import('${COMPANION}');
    parentPort.postMessage([companionData(), actsAlone()]);
  `)}`,
);

async function saidIn(thread: string): Promise<unknown> {
  const worker = new Worker(thread, { eval: true, execArgv: [] });
  const [said] = await once(worker, "message");
  await worker.terminate();
  return said;
}

test("what is offered runs in every thread that welcomes it, and one of them acts", async () => {
  const isTaken = offerCompanion(OFFERED, { pid: 7 });
  await saidIn(`require("node:worker_threads").parentPort.postMessage("nothing of ours")`);
  expect(isTaken()).toBe(false);
  const welcoming = `import('${COMPANION}').then(({ welcomeCompanion }) => welcomeCompanion())`;
  expect([await saidIn(welcoming), await saidIn(welcoming)]).toEqual([
    [{ pid: 7 }, true],
    [{ pid: 7 }, false],
  ]);
  expect(isTaken()).toBe(true);
});
