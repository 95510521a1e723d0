import { randomBytes } from "node:crypto";
import type { ServerSettings } from "../../config/load.ts";
import { systemClock } from "../../runtime/system-clock.ts";
import { type Call, type Command, countOption, textOption } from "../command.ts";
import { live } from "../load-test/customer.ts";
import { allWell, describe, summarize } from "../load-test/summary.ts";
import { printResult } from "../output/print.ts";
import { progress } from "../output/progress.ts";
import { UsageError } from "../usage-error.ts";

/** Each look of each customer is a request, so many customers look less often. */
const LOOKS_PER_SECOND = 500;

export const loadTest: Command = {
  about: `Lets synthetic customers write bursts to a running service, through its web channel, and tells how
it went: messages acknowledged, replies, how long after the window they came. Ends with exit code 1
when anything is missing.`,
  options: {
    customers: { type: "string", value: "N", help: "how many write at once (10)" },
    messages: { type: "string", value: "N", help: "messages in each burst (3)" },
    "gap-ms": { type: "string", value: "MS", help: "time between two messages of a burst (500)" },
    url: {
      type: "string",
      value: "URL",
      help: "the service, or a web channel of it (the configured host and port)",
    },
    timeout: { type: "string", value: "SECONDS", help: "how long to wait for the answers (120)" },
  },
  examples: [
    "lull load-test",
    "lull load-test --customers 200 --messages 5 --gap-ms 100 --url http://127.0.0.1:8080",
  ],
  run: async (call) => {
    const { server } = await call.load("look");
    const channelUrl = channelUrlOf(textOption(call, "url"), server);
    const summary = summarize(await crowd(call, channelUrl));
    printResult(call, summary, describe(summary));
    return allWell(summary) ? 0 : 1;
  },
};

function channelUrlOf(given: string | undefined, { host, port }: ServerSettings): string {
  const url = URL.parse(given ?? `http://${host.includes(":") ? `[${host}]` : host}:${port}`);
  if (url === null) throw new UsageError(`--url must be a URL, not ${given}`);
  const path = url.pathname.replace(/\/+$/, "");
  return `${url.origin}${path.includes("/webhooks/") ? path : `${path}/webhooks/web`}`;
}

async function crowd(call: Call, channelUrl: string) {
  const customers = countOption(call, "customers", 10);
  const messages = countOption(call, "messages", 3);
  const run = randomBytes(4).toString("hex");
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
  const all = Array.from({ length: customers }, (_, n) =>
    live({ ...burst, sender: `simulated-${run}-${n + 1}` }, show),
  );
  try {
    return await Promise.all(all);
  } finally {
    shown.end();
  }
}
