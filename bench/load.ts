import { writeFileSync } from "node:fs";
import { monotonicMs } from "./clock.ts";
import { Generator, type Posted } from "./generator.ts";
import { conversationOf, type LoadPlan } from "./load-plan.ts";
import { requestOf } from "./webhook.ts";

/** What the load generator, a process of its own, is told and what it leaves behind. */
export interface LoadOrder {
  readonly url: string;
  readonly plan: LoadPlan;
  readonly file: string;
}

export interface LoadReport extends Posted {
  readonly startedAtMs: number;
  readonly endedAtMs: number;
  /** What the generator itself used of the machine between the two. */
  readonly cpuMs: number;
}

async function generate({ url, plan, file }: LoadOrder): Promise<void> {
  const { host } = new URL(url);
  const requests = Array.from({ length: plan.messages }, (_, message) =>
    requestOf(
      message + (plan.firstMessage ?? 0),
      conversationOf(message, plan) + (plan.firstConversation ?? 0),
      host,
    ),
  );
  const generator = new Generator(url, plan, requests);
  const startedAtMs = monotonicMs();
  console.log(`started at ${startedAtMs}`);
  const before = process.cpuUsage();
  const posted = await generator.run();
  const { user, system } = process.cpuUsage(before);
  const cpuMs = (user + system) / 1_000;
  const report: LoadReport = { ...posted, startedAtMs, endedAtMs: monotonicMs(), cpuMs };
  writeFileSync(file, JSON.stringify(report));
}

if (import.meta.main) await generate(JSON.parse(process.argv[2] ?? "") as LoadOrder);
