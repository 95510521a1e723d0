import { randomBytes } from "node:crypto";
import type { ServerSettings } from "../../config/load.ts";
import { syntheticName } from "../../core/synthetic-customers.ts";
import { systemClock } from "../../runtime/system-clock.ts";
import { type Call, type Command, countOption, textOption } from "../command.ts";
import { type Cleaned, type Cleaning, clean } from "../load-test/clean.ts";
import { live } from "../load-test/customer.ts";
import { allWell, describe, summarize } from "../load-test/summary.ts";
import { counted } from "../output/counted.ts";
import { printResult } from "../output/print.ts";
import { progress } from "../output/progress.ts";
import { abortedBySignals } from "../serving/signals.ts";
import { CommandFailed, UsageError } from "../usage-error.ts";

/** Each look of each customer is a request, so many customers look less often. */
const LOOKS_PER_SECOND = 500;

export const loadTest: Command = {
  about: `Lets synthetic customers write bursts to a running service, through its web channel, and tells how
it went: messages acknowledged, replies, how long after the window they came. Ends with exit code 1
when anything is missing. The customers are removed afterwards, also after Ctrl-C.`,
  options: {
    customers: { type: "string", value: "N", help: "how many write at once (10)" },
    messages: { type: "string", value: "N", help: "messages in each burst (3)" },
    "gap-ms": { type: "string", value: "MS", help: "time between two messages of a burst (500)" },
    url: {
      type: "string",
      value: "URL",
      help: "the service, or a web channel of it (the configured host and port)",
    },
    keep: { type: "boolean", help: "leave the made-up customers in the store" },
    clean: { type: "boolean", help: "only remove those of earlier runs that were killed" },
    timeout: { type: "string", value: "SECONDS", help: "how long to wait for the answers (120)" },
  },
  examples: [
    "lull load-test",
    "lull load-test --clean",
    "lull load-test --customers 200 --messages 5 --gap-ms 100 --url http://127.0.0.1:8080",
  ],
  run: async (call) => {
    const { server } = await call.load("look");
    const given = textOption(call, "url");
    const channelUrl = channelUrlOf(given, server);
    const cleaning = { call, origin: new URL(channelUrl).origin, isNamed: given !== undefined };
    if (call.options.clean === true) return cleanOnly(cleaning);
    const run = randomBytes(4).toString("hex");
    const signal = abortedBySignals();
    const summary = await crowd(call, channelUrl, run, signal).then(summarize, async (error) => {
      if (call.options.keep !== true) await cleaned({ ...cleaning, run });
      throw error;
    });
    const left = call.options.keep === true ? undefined : await cleaned({ ...cleaning, run });
    printResult(
      call,
      { ...summary, run, ...left },
      [describe(summary), ...(left ? [goneOrNot(left)] : [`kept          ${KEPT}`])].join("\n"),
    );
    if (signal.aborted) return signal.reason as number;
    if (left && "why" in left) throw new CommandFailed(`the customers are left (${left.why}). ${REMOVED_BY}`);
    return allWell(summary) ? 0 : 1;
  },
};

const REMOVED_BY = "They go with: lull load-test --clean, on the machine of the service";
const KEPT = "the customers, whose names begin with lull-load-test-";

async function cleanOnly(cleaning: Omit<Cleaning, "onErased">): Promise<number> {
  const done = await cleaned(cleaning);
  if ("why" in done) throw new CommandFailed(`nothing was removed: ${done.why}`);
  printResult(cleaning.call, done, `${counted(done.erased, "customer")} of load tests removed.`);
  return 0;
}

async function cleaned(cleaning: Omit<Cleaning, "onErased">): Promise<Cleaned> {
  const shown = progress(cleaning.call.io);
  const onErased = (count: number) => shown.update(`${counted(count, "customer")} removed`);
  return clean({ ...cleaning, onErased }).finally(() => shown.end());
}

function goneOrNot(left: Cleaned): string {
  return "why" in left
    ? "removed       none of the customers"
    : `removed       ${counted(left.erased, "customer")}`;
}

function channelUrlOf(given: string | undefined, { host, port }: ServerSettings): string {
  const url = URL.parse(given ?? `http://${host.includes(":") ? `[${host}]` : host}:${port}`);
  if (url === null) throw new UsageError(`--url must be a URL, not ${given}`);
  const path = url.pathname.replace(/\/+$/, "");
  return `${url.origin}${path.includes("/webhooks/") ? path : `${path}/webhooks/web`}`;
}

async function crowd(call: Call, channelUrl: string, run: string, signal: AbortSignal) {
  const customers = countOption(call, "customers", 10);
  const messages = countOption(call, "messages", 3);
  const shown = progress(call.io);
  const count = { acknowledged: 0, answered: 0 };
  const show = (what: keyof typeof count) => {
    count[what] += 1;
    shown.update(
      `${count.acknowledged}/${customers * messages} acknowledged, ${count.answered}/${customers} answered`,
    );
  };
  const burst = {
    channelUrl,
    messages,
    gapMs: countOption(call, "gap-ms", 500, 0),
    giveUpAtMs: systemClock.nowMs() + countOption(call, "timeout", 120) * 1_000,
    pollMs: Math.max(100, (customers / LOOKS_PER_SECOND) * 1_000),
    clock: systemClock,
  };
  const failed = new AbortController();
  const ending = AbortSignal.any([signal, failed.signal]);
  const all = Array.from({ length: customers }, (_, n) =>
    live({ ...burst, signal: ending, sender: syntheticName(run, n + 1) }, show).catch((error) => {
      failed.abort();
      throw error;
    }),
  );
  try {
    // Of one that failed, too, the others are over before anything is removed.
    await Promise.allSettled(all);
    return await Promise.all(all);
  } finally {
    shown.end();
  }
}
