import { maskUrl } from "../../schema/plain-url.ts";
import { CERTIFICATE_REFUSED, nameOf } from "../../wire/connection-failure.ts";
import { isSameForAll } from "../../wire/unanswered.ts";
import type { Health } from "./ask-health.ts";
import { type CheckResult, fail, ok, skip, warn } from "./check-result.ts";

const CHECK = "public URL";

/** What was seen of a service: through its public URL, on this machine's port, and in its store. */
export interface Seen {
  /** The public URL, without what opens a door. */
  readonly shown: string;
  readonly port: number;
  readonly there: Health;
  readonly here: Health;
  /** What the store's part of a proof has to be. Unknown where there is no store yet, or it does not open. */
  readonly store: string | undefined;
  /** Other machines may work on this store. */
  readonly isShared: boolean;
}

export function judge(seen: Seen): CheckResult {
  switch (seen.there.kind) {
    case "lull":
      return compare(seen, seen.there.proof);
    case "other":
      return anothers(seen, seen.there);
    case "error":
      return unreached(seen, seen.there);
  }
}

type Proof = Extract<Health, { kind: "lull" }>["proof"];

function compare(seen: Seen, proof: Proof): CheckResult {
  const { shown, port, here, isShared } = seen;
  const own = here.kind === "lull" ? here.proof : undefined;
  const store = seen.store ?? own?.store;
  if (proof === undefined) return warn(CHECK, `${shown} ${UNPROVEN}`);
  if (store === undefined)
    return skip(
      CHECK,
      `a Lull answers at ${shown}; there is no store here yet to tell whether it is this one`,
    );
  if (proof.store !== store) {
    const another = `at ${shown} another Lull answers, with another database: customers reach that one`;
    return runsHere(seen) ? fail(CHECK, `${another}. ${pointIt(port)}`) : warn(CHECK, another);
  }
  if (own?.service === proof.service) return ok(CHECK, `${shown} leads to this service`);
  if (isShared) return ok(CHECK, `${shown} leads to a service on this store`);
  if (own === undefined) return ok(CHECK, `${shown} leads to a service on this database, or on a copy of it`);
  return warn(
    CHECK,
    `at ${shown} another service answers than on port ${port}, on the same database or a copy of it: ` +
      `end the one that should not run. ${pointIt(port)}`,
  );
}

const UNPROVEN =
  "is answered by a Lull that does not say which one: it is older than 0.2.0, its store does not answer, " +
  "or a proxy leaves out the query";

function pointIt(port: number): string {
  return `Let the proxy behind that name pass requests on to http://127.0.0.1:${port}`;
}

function runsHere({ here }: Seen): boolean {
  return here.kind === "lull";
}

/** It answers, but not as we do. */
function anothers(seen: Seen, { status, location, type }: Extract<Health, { kind: "other" }>): CheckResult {
  const { shown, port } = seen;
  if (status >= 300 && status < 400) {
    const to = location === undefined ? "elsewhere" : `to ${maskUrl(location)}`;
    return fail(CHECK, `${shown} redirects ${to}: ${REDIRECTED}`);
  }
  if (status === 401 || status === 403 || status === 407)
    return fail(
      CHECK,
      `${shown} turns callers away (${status}): let the proxy pass on /webhooks/ and /healthz`,
    );
  if (status === 429) return skip(CHECK, `${shown} answers 429, too many calls: try again in a minute`);
  if (status >= 500) {
    const says = `the proxy at ${shown} answers ${status}`;
    if (runsHere(seen)) return fail(CHECK, `${says}, though the service runs. ${pointIt(port)}`);
    return notHere(seen, `${says}, and no service answers on port ${port} here`);
  }
  const answer = type === undefined ? status : `${status}, ${type}`;
  const page = `at ${shown} something answers that is not Lull (${answer})`;
  const detail = `${page}: is it the right name, with the right path? ${pointIt(port)}`;
  return runsHere(seen) ? fail(CHECK, detail) : warn(CHECK, detail);
}

const REDIRECTED = "providers sign the URL that they called. Set LULL_PUBLIC_URL to where it ends";

function unreached(seen: Seen, { error, why }: Extract<Health, { kind: "error" }>): CheckResult {
  if (isSameForAll(error)) return fail(CHECK, `${why}. ${nextStep(error)}`);
  if (runsHere(seen) || seen.isShared) return warn(CHECK, `${why}. ${FROM_OUTSIDE} ${seen.shown}/healthz`);
  return notHere(seen, `${why}, and no service answers on port ${seen.port} here`);
}

/** Some networks do not let a machine call itself by its public name. */
const FROM_OUTSIDE = "It may be seen from outside all the same; try there: curl -i";

function nextStep(error: unknown): string {
  if (nameOf(error) === "ENOTFOUND") return "Make its DNS record, or set LULL_PUBLIC_URL to another name";
  if (CERTIFICATE_REFUSED.has(nameOf(error)))
    return "Providers refuse it as well: put the certificate right, on what ends TLS for that name";
  return "Providers cannot call it either: look at what ends TLS for that name";
}

function notHere({ isShared }: Seen, why: string): CheckResult {
  if (isShared) return warn(CHECK, why);
  return skip(CHECK, `not seen: ${why}. Start the service, and run this again`);
}
