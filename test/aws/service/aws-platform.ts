import { randomUUID } from "node:crypto";
import { tmpdir } from "node:os";
import { eventually, type LogEvent } from "../../lull-process.ts";
import { peakMegabytesOf } from "../../service/one-machine.ts";
import { API_TOKEN, outside } from "../../service/outside.ts";
import type { Place, Platform } from "../../service/platform.ts";
import type { Emulators } from "../emulators.ts";
import type { Environment } from "../local/function-instance.ts";
import { type FunctionName, type LocalAws, type LocalAwsOptions, startLocalAws } from "../local/local-aws.ts";

/** A line of a function's log, and who wrote it. */
type FunctionEvent = LogEvent & { readonly from: FunctionName; readonly instance: number };

export interface LambdaPlace extends Place {
  readonly aws: LocalAws;
  readonly events: readonly FunctionEvent[];
}

/** Every place has tables, queues and functions of its own, on emulators that a file shares. */
export async function lambdaPlace(
  emulators: Emulators,
  environment: Environment,
  more: Pick<LocalAwsOptions, "envOf"> = {},
): Promise<LambdaPlace> {
  let url = "";
  const { leave, env: providers, ...people } = await outside(() => url);
  const events: FunctionEvent[] = [];
  const { PATH, NODE_COMPILE_CACHE } = process.env;
  const aws = await startLocalAws({
    emulators,
    cwd: tmpdir(),
    prefix: `${randomUUID().slice(0, 8)}-`,
    env: {
      PATH,
      NODE_COMPILE_CACHE,
      PORT: "0",
      LULL_WINDOW_SECONDS: "1",
      LULL_API_TOKEN: API_TOKEN,
      LULL_LOCAL_SWEEP_SECONDS: "1",
      ...providers,
      ...environment,
    },
    write: (line, from) => {
      const event = eventIn(line);
      if (from && event) events.push({ ...event, from: from.name, instance: from.instance });
    },
    ...more,
  });
  url = aws.url;
  const functions = Object.values(aws.functions);
  const instances = () => functions.flatMap((each) => [...each.instances.values()]);
  return {
    ...people,
    aws,
    events,
    async holder() {
      const taken = await eventually("a lease", async () =>
        events.find(({ event }) => event === "lease.taken"),
      );
      return aws.functions.worker.instances.get(taken.instance)!;
    },
    /** The tables and queues are AWS's own; what can die there is a function. */
    async crash() {
      const all = instances();
      for (const instance of all) instance.kill();
      await Promise.all(all.map((instance) => instance.gone()));
    },
    async peakMegabytes() {
      return Math.max(0, ...(await Promise.all(instances().map(({ pid }) => peakMegabytesOf(pid ?? 0)))));
    },
    async end() {
      await aws.stop();
      await leave();
    },
  };
}

/** Functions write metrics, too, and whatever their libraries have to say. */
function eventIn(line: string): LogEvent | undefined {
  if (!line.startsWith("{") || !line.endsWith("}")) return undefined;
  const parsed = JSON.parse(line) as Partial<LogEvent>;
  return parsed.event === undefined ? undefined : (parsed as LogEvent);
}

/** Nobody is told of a function's death: its lease has to lapse, and the machines' clocks may differ by two seconds. */
export const SOON = { LULL_LEASE_SECONDS: "3", LULL_SETTLE_SECONDS: "1" };

/** API Gateway, Lambda, SQS and DynamoDB. How many workers there are is Lambda's business. */
export function awsPlatform(emulators: () => Emulators): Platform {
  return {
    batchMessagesMax: 30,
    healsSoon: SOON,
    outlastsSoon: SOON,
    burstSeconds: "12",
    crowd: 200,
    crowdSeconds: "8",
    start: (environment) => lambdaPlace(emulators(), environment),
  };
}
