import type { ConfiguredChannel } from "../../config/channels.ts";
import type { Finding } from "../../ports/check-result.ts";
import { type CheckResult, fail, skip, warn } from "./check-result.ts";
import { type Asking, findingsOf, OFFLINE, toldUnder } from "./findings.ts";
import { toEnter, type Webhooks } from "./webhooks.ts";

/** What keeps a channel from being served, what it finds about itself, and what its provider calls. */
export async function checkChannels(
  channels: readonly ConfiguredChannel[],
  webhooks: Webhooks,
  asking: Asking,
): Promise<CheckResult[]> {
  if (channels.length === 0)
    return [warn("channels", "none is configured: `lull start` needs one, `lull dev` does not")];
  const each = await Promise.all(channels.map((channel) => checkChannel(channel, webhooks, asking)));
  return each.flat();
}

async function checkChannel(
  configured: ConfiguredChannel,
  webhooks: Webhooks,
  asking: Asking,
): Promise<CheckResult[]> {
  const { name, channel, kind } = configured;
  const check = `channel ${name}`;
  const [unfit, findings] = await Promise.all([unfitness(configured), findingsOf(channel, asking)]);
  const webhook = webhookLines(configured, webhooks, findings, asking);
  if (findings === undefined)
    return [
      ...unfit,
      skip(check, `${kind}; ${channel.check ? OFFLINE : withoutCheck(configured)}`),
      ...webhook,
    ];
  const own = toldUnder(check, findings);
  const ofWebhook = new Set(findings.map(isAboutWebhook).flatMap((is, at) => (is ? [at] : [])));
  return [...unfit, ...own.filter((_, at) => !ofWebhook.has(at)), ...webhook];
}

function isAboutWebhook(finding: Finding): boolean {
  return Object(finding).about === "webhook";
}

function withoutCheck({ kind, channel }: ConfiguredChannel): string {
  if (channel.type === "web") return "it has no provider to ask";
  return kind === "code" ? "a channel of your own: give it `check` to have it tried" : "nothing to check";
}

async function unfitness({ name, channel }: ConfiguredChannel): Promise<CheckResult[]> {
  try {
    const why = await channel.unfit?.();
    return why === undefined ? [] : [fail(`channel ${name}`, why)];
  } catch (error) {
    return [fail(`channel ${name}`, (error as Error).message)];
  }
}

/** Visitors of a web channel call by themselves. */
function webhookLines(
  configured: ConfiguredChannel,
  webhooks: Webhooks,
  findings: readonly Finding[] | undefined,
  { online }: Asking,
): CheckResult[] {
  const { name, channel } = configured;
  if (channel.type === "web") return [];
  const check = `webhook ${name}`;
  const enter = toEnter(configured, webhooks);
  const about = findings?.filter(isAboutWebhook) ?? [];
  if (about.length === 0) {
    const why = channel.check && !online ? "--offline" : "no API tells what its provider calls";
    return [skip(check, `${enter}; not compared: ${why}`)];
  }
  return toldUnder(check, about).map((told) =>
    told.verdict === "skip" ? skip(check, `${enter}; not compared: ${told.detail}`) : told,
  );
}
