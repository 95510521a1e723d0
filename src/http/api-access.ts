import { ConfigError, tellable } from "../errors.ts";
import type { SecretReference } from "../ports/secrets.ts";
import type { Service } from "../runtime/service.ts";
import { answerWithin } from "../wire/deadline.ts";
import { guessable, isGuessable } from "../wire/own-secret.ts";
import { isForwarded, isLoopbackAddress, isLoopbackHost, isOfAnotherSite } from "../wire/request-origin.ts";
import { sameSecret } from "../wire/same-secret.ts";
import { failure, isRead, notNow } from "./answers.ts";
import type { EdgeAnswer, EdgeRequest } from "./edge-request.ts";
import { WrongTokens } from "./wrong-tokens.ts";

/** An operator may do everything; a responder may only answer its turns. */
export type Caller = "operator" | "responder";
export type Access =
  /** With a project, of that alone. */
  | { readonly kind: "admitted"; readonly caller: Caller; readonly project?: string }
  | { readonly kind: "refused"; readonly answer: EdgeAnswer };

const HOW_TO =
  "set LULL_API_TOKEN (or apiToken in the configuration) and send it as: Authorization: Bearer <token>";
const NO_TOKEN = "no token";
const OFF = "the API is off, because this service is public and has no API token";
const TURNS_ONLY =
  "the API takes answers to turns only, with their token: this service is public and has no API token";
const WRONG_TOKEN = "a wrong token";
const UNCHECKED_TOKEN = "a token that could not be checked";
const OPERATOR: Access = { kind: "admitted", caller: "operator" };
const RESPONDER: Access = { kind: "admitted", caller: "responder" };

/** One that opens the API, and to whom. */
interface Token {
  readonly name: string;
  readonly reference: SecretReference | undefined;
  readonly access: Access;
}

function tokensOf({ apiToken, turnToken, projectTokens }: Service): Token[] {
  const ofProjects = Object.entries(projectTokens).flatMap(([project, { api, turn }]) => [
    { name: `projects.${project}.tokens.api`, reference: api, access: { ...OPERATOR, project } },
    { name: `projects.${project}.tokens.turn`, reference: turn, access: { ...RESPONDER, project } },
  ]);
  const all = [
    { name: "LULL_API_TOKEN", reference: apiToken, access: OPERATOR },
    { name: "LULL_TURN_TOKEN", reference: turnToken, access: RESPONDER },
    ...ofProjects,
  ];
  return all.filter(({ reference }) => reference !== undefined);
}

export type Admit = (request: EdgeRequest) => Promise<Access>;

/** Decides who may use the API, and read the metrics. */
export function createAccess(service: Service): Admit {
  const wrong = new WrongTokens(service);
  const tokens = tokensOf(service);
  const lately: Lately = new Map();
  return async (request) => {
    const given = /^bearer +(.+)$/i.exec(request.headers.authorization ?? "")?.[1]?.trim();
    if (given === undefined || tokens.length === 0) {
      const why = refusalWithoutToken(service, request, tokens.length > 0);
      return why === undefined ? OPERATOR : noted(service, why);
    }
    const found = await foundAmong(service, tokens, lately, given);
    if (typeof found === "object") return found;
    const isChecked = found === "wrong";
    const isWaitOver = (await wrong.note(isChecked ? WRONG_TOKEN : UNCHECKED_TOKEN)) === "wrong";
    if (!isWaitOver) return refused(tooMany());
    return refused(isChecked ? unauthorized(', error="invalid_token"') : notNow());
  };
}

/** What each token was when it was read last; undefined for one that could not be read yet. */
type Lately = Map<Token, string | undefined>;

/** How long the first caller waits for a token that was never read: it may be the same as the caller's. */
const FIRST_READ_MS_MAX = 1_000;

/**
 * All at once, and the right one counts as soon as it is found: a tenant whose secret cannot be read now
 * keeps no other's callers waiting. One that opens two doors opens neither: it would be chance which. The
 * start refuses that, too, but secrets are read anew while we run, and functions have no such start.
 */
async function foundAmong(
  service: Service,
  tokens: readonly Token[],
  lately: Lately,
  given: string,
): Promise<Access | "wrong" | "unknown"> {
  const right = Promise.withResolvers<Token>();
  const compared = tokens.map(async (token) => {
    const is = await compare(service, token, lately, given);
    if (is === "right") right.resolve(token);
    return is;
  });
  const all = Promise.all(compared);
  const none = all.then((each) => (each.includes("unknown") ? ("unknown" as const) : ("wrong" as const)));
  const found = await Promise.race([right.promise, none]);
  if (typeof found === "string") return found;
  const unread = tokens.filter((token) => !lately.has(token));
  if (unread.length > 0) await answerWithin(service.clock, FIRST_READ_MS_MAX, () => all).catch(() => {});
  for (const token of unread) if (!lately.has(token)) lately.set(token, undefined);
  const other = tokens.find((token) => token !== found && sameSecret(given, lately.get(token) ?? ""));
  if (other === undefined) return found.access;
  const reason = `${other.name} is the same as ${found.name}: neither opens anything`;
  service.sampled.note("error", "config.failed", { secret: other.name, reason });
  return "unknown";
}

/**
 * "unknown": our own token cannot be read, or is too short. Only the log says which: the caller has proven
 * nothing.
 */
async function compare(
  { secrets, sampled }: Service,
  named: Token,
  lately: Lately,
  given: string,
): Promise<"right" | "wrong" | "unknown"> {
  const { name, reference = "" } = named;
  try {
    const token = await secrets.get(reference);
    lately.set(named, token);
    if (isGuessable(token)) throw new ConfigError(guessable(name));
    return sameSecret(given, token) ? "right" : "wrong";
  } catch (error) {
    lately.set(named, lately.get(named));
    sampled.note("error", "config.failed", { secret: name, reason: tellable(error) });
    return "unknown";
  }
}

/** Why a caller without a token is refused; undefined where it may come in. */
function refusalWithoutToken(service: Service, request: EdgeRequest, hasToken: boolean): string | undefined {
  if (service.apiToken !== undefined) return NO_TOKEN;
  // No header that every proxy sends tells a local caller from a remote one, so a public service needs a
  // token.
  if (service.publicUrl !== undefined) {
    if (Object.keys(service.projectTokens).length > 0) return NO_TOKEN;
    return hasToken ? TURNS_ONLY : OFF;
  }
  return loopbackRefusal(request);
}

/** An operator who watches for stolen tokens also has to see callers that probe without one. */
function noted({ sampled }: Service, reason: string): Access {
  sampled.note("warn", "api.refused", { reason });
  return refused(reason === NO_TOKEN ? unauthorized("") : forbidden(reason));
}

/**
 * Without a token the API is for programs on this machine only. A browser on this machine is no such program:
 * a page it visits may point its own name at 127.0.0.1 (told by Host), or post a form here (told by
 * Sec-Fetch-Site or Origin).
 */
function loopbackRefusal(request: EdgeRequest): string | undefined {
  const { headers, method, remoteAddress } = request;
  if (!isLoopbackAddress(remoteAddress)) return "without a token the API answers on loopback only";
  if (isForwarded(headers)) return "without a token the API does not answer through a proxy";
  if (!isLoopbackHost(headers.host)) return "without a token the API answers to localhost only";
  if (isOfAnotherSite(headers)) return "another page may not use this";
  if (!isRead(method) && headers.origin !== undefined && !isOwnOrigin(headers.origin, headers.host))
    return "another page may not change anything here";
  return undefined;
}

function refused(answer: EdgeAnswer): Access {
  return { kind: "refused", answer };
}

function unauthorized(why: string): EdgeAnswer {
  return failure(401, "UNAUTHORIZED", "send the API token as: Authorization: Bearer <token>", {
    "www-authenticate": `Bearer realm="lull"${why}`,
  });
}

function tooMany(): EdgeAnswer {
  return failure(429, "RATE_LIMITED", "too many wrong tokens; try again", { "retry-after": "2" });
}

function forbidden(why: string): EdgeAnswer {
  return failure(403, "FORBIDDEN", `${why}; ${HOW_TO}`);
}
function isOwnOrigin(origin: string, host: string | undefined): boolean {
  // Compared whole, with the port: another service on this machine is another origin.
  return URL.canParse(origin) && new URL(origin).host === host?.toLowerCase();
}
