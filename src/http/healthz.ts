import type { Service } from "../runtime/service.ts";
import { answerWithin } from "../wire/deadline.ts";
import { isRead, json, methodNotAllowed } from "./answers.ts";
import type { EdgeAnswer, EdgeRequest } from "./edge-request.ts";

const HEALTHY = json(200, { status: "ok" });
/** Long enough that no caller has heard the answer to it before. */
const NONCE = /^[\w-]{22,128}$/;
/** A store that is slower gives no proof now, and the answer is the plain one. */
const PROOF_MS_MAX = 2_000;

/** A supervisor that asks this decides about killing the process: it is answered whatever the store does. */
export function healthy({ method }: EdgeRequest): EdgeAnswer {
  return isRead(method) ? HEALTHY : methodNotAllowed(["GET"]);
}

export function asksForProof({ path, query }: EdgeRequest): boolean {
  return path === "/healthz" && query.has("nonce");
}

/** Says which service this is, to a caller that knows its store: see `Proof`. */
export async function healthyAndProven(service: Service, request: EdgeRequest): Promise<EdgeAnswer> {
  const nonce = request.query.get("nonce") ?? "";
  if (!isRead(request.method) || !NONCE.test(nonce)) return healthy(request);
  try {
    const proof = await answerWithin(service.clock, PROOF_MS_MAX, () => service.prove(nonce));
    return json(200, { status: "ok", proof });
  } catch {
    return HEALTHY;
  }
}
