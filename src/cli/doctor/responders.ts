import type { ConfiguredChannel } from "../../config/channels.ts";
import type { Loaded } from "../../config/load.ts";
import type { ConfiguredResponder } from "../../config/responder.ts";
import { ConfigError, LullError } from "../../errors.ts";
import type { SecretReference, Secrets } from "../../ports/secrets.ts";
import { counted } from "../output/counted.ts";
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
  return (await Promise.all(all.map(([name, each]) => checkResponder(name, each, secrets, signal)))).flat();
}

async function checkResponder(
  name: string,
  { kind, origin, vendor }: ConfiguredResponder,
  secrets: Secrets,
  signal: AbortSignal,
): Promise<CheckResult[]> {
  if (kind === "echo")
    return [warn(name, "echo: it repeats what was said. Set OPENAI_API_KEY or write a lull.config.ts")];
  if (vendor === undefined) return [ok(name, `${kind}, from ${origin}; not tried`)];
  const { apiKey, keyFrom, hasKey, offered, baseUrl = OPENAI } = vendor;
  const url = `${baseUrl.replace(/\/+$/, "")}/models`;
  const trying = { name, url, secrets, signal };
  const tried = offered.slice(0, KEYS_MAX);
  const more = offered.length - tried.length;
  const own = { reference: apiKey, from: keyFrom, called: "the key" };
  const isNeeded = hasKey || offered.length === 0;
  return [
    isNeeded
      ? await checkKey(trying, own, offered.length > 0)
      : warn(name, `openai; no key is set beside apiKeys: ${NO_DEFAULT}`),
    ...(await Promise.all(
      tried.map(({ id, reference }) => checkKey(trying, { reference, from: id, called: `the key ${id}` })),
    )),
    ...(more > 0 ? [warn(name, `openai; ${counted(more, "further key")} of apiKeys not tried`)] : []),
  ];
}

/** Keys that records may ask for, of which each costs a call. */
const KEYS_MAX = 20;

interface Trying {
  readonly name: string;
  readonly url: string;
  readonly secrets: Secrets;
  readonly signal: AbortSignal;
}

interface Key {
  readonly reference: SecretReference;
  readonly from: string;
  readonly called: string;
}

/** `hasOthers`: conversations whose records name a key do without this one. */
async function checkKey(
  { name, url, secrets, signal }: Trying,
  { reference, from, called }: Key,
  hasOthers = false,
): Promise<CheckResult> {
  try {
    const headers = { authorization: `Bearer ${await secrets.get(reference)}` };
    const response = await fetch(url, { headers, redirect: "manual", signal });
    await response.body?.cancel();
    if (response.status === 401 || response.status === 403)
      return fail(name, `OpenAI does not accept the key from ${from}`);
    if (response.ok) return ok(name, `openai; ${called} works`);
    const said = `${new URL(url).host} answered ${response.status} when asked for its models`;
    return warn(name, `openai; ${said}, so that ${called} was not tried`);
  } catch (error) {
    if (error instanceof ConfigError && hasOthers)
      return warn(name, `openai; ${error.message}: ${NO_DEFAULT}`);
    if (error instanceof LullError) return fail(name, error.message);
    return fail(name, `${new URL(url).host} could not be reached`);
  }
}

const NO_DEFAULT = "only conversations whose record names one of apiKeys are answered";

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
