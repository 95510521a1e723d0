import { ConfigError } from "../../errors.ts";
import type { SecretReference, Secrets } from "../../ports/secrets.ts";
import type { Service } from "../../runtime/service.ts";
import { guessable, isGuessable, MAKE_A_SECRET } from "../../wire/own-secret.ts";
import { type CheckResult, fail, ok, warn } from "./check-result.ts";

type Tokens = Pick<Service, "apiToken" | "turnToken" | "secrets" | "publicUrl">;

/** Who could use the API: with which tokens, or without any. */
export async function checkApi(service: Tokens): Promise<CheckResult[]> {
  try {
    return await examine(service);
  } catch (error) {
    return [fail("API", (error as Error).message)];
  }
}

async function read(
  secrets: Secrets,
  name: string,
  token: SecretReference | undefined,
): Promise<string | false> {
  if (token === undefined) return false;
  try {
    return await secrets.get(token);
  } catch (error) {
    throw new ConfigError(`${name} cannot be read: ${(error as Error).message}`, error);
  }
}

async function examine({ apiToken, turnToken, secrets, publicUrl }: Tokens): Promise<CheckResult[]> {
  const [all, turns] = await Promise.all([
    read(secrets, "LULL_API_TOKEN", apiToken),
    read(secrets, "LULL_TURN_TOKEN", turnToken),
  ]);
  const weak = [
    ...(isShort(all) ? ["LULL_API_TOKEN"] : []),
    ...(isShort(turns) ? ["LULL_TURN_TOKEN"] : []),
  ].map((name) => fail("API", guessable(name)));
  if (weak.length > 0) return weak;
  if (all !== false && all === turns)
    return [
      fail("API", "LULL_TURN_TOKEN is the same as LULL_API_TOKEN: a responder that has it may do everything"),
    ];
  if (all !== false) return [ok("API", "with its token")];
  const hasTurns = turns !== false;
  if (publicUrl !== undefined) return [warn("API", `${hasTurns ? TURNS_ONLY : OFF}; ${MAKE_A_SECRET}`)];
  const others = hasTurns ? "; turns also with LULL_TURN_TOKEN" : "";
  return [ok("API", `without a token, for programs on this machine only${others}`)];
}

const OFF = "off: the service is public and LULL_API_TOKEN is not set";
const TURNS_ONLY =
  "turns only, with LULL_TURN_TOKEN: the rest is off, " +
  "because the service is public and LULL_API_TOKEN is not set";

function isShort(token: string | false): boolean {
  return typeof token === "string" && isGuessable(token);
}
