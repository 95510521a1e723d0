import type { ConfiguredChannel } from "../../config/channels.ts";
import type { Loaded } from "../../config/load.ts";
import type { ConfiguredResponder } from "../../config/responder.ts";
import { LullError } from "../../errors.ts";
import type { Secrets } from "../../ports/secrets.ts";
import { type CheckResult, fail, ok, warn } from "./check-result.ts";

/** Asks every channel that can tell whether its credentials work. */
export async function checkChannels(
  channels: readonly ConfiguredChannel[],
  signal: AbortSignal,
): Promise<CheckResult[]> {
  if (channels.length === 0)
    return [warn("channels", "none is configured: `lull start` needs one, `lull dev` does not")];
  return (await Promise.all(channels.map((channel) => checkChannel(channel, signal)))).flat();
}

async function checkChannel(
  { name, channel, kind }: ConfiguredChannel,
  signal: AbortSignal,
): Promise<CheckResult[]> {
  const check = `channel ${name}`;
  if (channel.check === undefined) return [ok(check, `${kind}; nothing to check`)];
  try {
    const problems = await channel.check(signal);
    return problems.length === 0
      ? [ok(check, `${kind}; credentials work`)]
      : problems.map((problem) => fail(check, problem));
  } catch (error) {
    return [fail(check, (error as Error).message)];
  }
}

/** Each that some channel is answered by. A wrong key would otherwise be found by the first customer. */
export async function checkResponders(loaded: Loaded, signal: AbortSignal): Promise<CheckResult[]> {
  const { channels, responder, projectResponders, secrets } = loaded;
  const isAsked = channels.length === 0 || channels.some(({ project }) => !projectResponders[project ?? ""]);
  const own = Object.entries(projectResponders).map(
    ([name, each]) => [`responder of ${name}`, each] as const,
  );
  const all = [...(isAsked ? [["responder", responder] as const] : []), ...own];
  return Promise.all(all.map(([name, each]) => checkResponder(name, each, secrets, signal)));
}

async function checkResponder(
  name: string,
  { kind, origin, vendor }: ConfiguredResponder,
  secrets: Secrets,
  signal: AbortSignal,
): Promise<CheckResult> {
  if (kind === "echo")
    return warn(name, "echo: it repeats what was said. Set OPENAI_API_KEY or write a lull.config.ts");
  if (vendor === undefined) return ok(name, `${kind}, from ${origin}; not tried`);
  const url = `${(vendor.baseUrl ?? OPENAI).replace(/\/+$/, "")}/models`;
  try {
    const token = await secrets.get(vendor.apiKey);
    const headers = { authorization: `Bearer ${token}` };
    const response = await fetch(url, { headers, redirect: "manual", signal });
    await response.body?.cancel();
    if (response.status === 401 || response.status === 403)
      return fail(name, `OpenAI does not accept the key from ${vendor.keyFrom}`);
    if (response.ok) return ok(name, "openai; the key works");
    const said = `${new URL(url).host} answered ${response.status} when asked for its models`;
    return warn(name, `openai; ${said}, so that the key was not tried`);
  } catch (error) {
    if (error instanceof LullError) return fail(name, error.message);
    return fail(name, `${new URL(url).host} could not be reached`);
  }
}

const OPENAI = "https://api.openai.com/v1";

/** A provider whose clock ours can be compared with. */
export function providerUrl({ resolved, channels, responder }: Loaded): string | undefined {
  if (channels.some(({ kind }) => kind.startsWith("twilio"))) {
    return String(resolved.get("twilio.apiUrl")?.value ?? "https://api.twilio.com");
  }
  if (resolved.has("wati.apiUrl")) return String(resolved.get("wati.apiUrl")?.value);
  if (responder.kind === "openai") return responder.vendor?.baseUrl ?? OPENAI;
  return undefined;
}
