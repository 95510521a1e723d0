import type { Proof } from "../../runtime/proof.ts";
import { withoutUser } from "../../schema/plain-url.ts";
import { callHttp, type HttpAnswer } from "../../wire/http-call.ts";
import { unanswered } from "../../wire/unanswered.ts";

/** Ours is a line. */
const ANSWER_BYTES_MAX = 10_000;

/** What `/healthz` answers at some address. */
export type Health =
  | { readonly kind: "lull"; readonly proof?: Proof }
  | { readonly kind: "other"; readonly status: number; readonly location?: string; readonly type?: string }
  | { readonly kind: "error"; readonly error: unknown; readonly why: string };

export async function askHealth(base: string, nonce: string, signal: AbortSignal): Promise<Health> {
  const url = new URL(`${withoutUser(base).replace(/\/+$/, "")}/healthz?nonce=${nonce}`);
  const headers = { accept: "application/json", connection: "close", ...authorization(base) };
  try {
    return read(await callHttp(url, { headers, signal, answerBytesMax: ANSWER_BYTES_MAX }));
  } catch (error) {
    return { kind: "error", error, why: unanswered(url.host, error, signal) };
  }
}

function authorization(base: string): Record<string, string> {
  const { username, password } = new URL(base);
  if (username === "" && password === "") return {};
  const user = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return { authorization: `Basic ${Buffer.from(user).toString("base64")}` };
}

function read({ status, headers, text }: HttpAnswer): Health {
  const answer = status === 200 ? objectIn(text) : undefined;
  if (answer?.status === "ok") return { kind: "lull", ...proofIn(answer.proof) };
  const [location, type] = [headers.get("location"), headers.get("content-type")];
  return {
    kind: "other",
    status,
    ...(location !== null && { location }),
    ...(type !== null && { type: type.split(";")[0] }),
  };
}

function proofIn(given: unknown): { proof?: Proof } {
  const { store, service } = Object(given) as Record<string, unknown>;
  return typeof store === "string" && typeof service === "string" ? { proof: { store, service } } : {};
}

function objectIn(text: string | undefined): Readonly<Record<string, unknown>> | undefined {
  try {
    return Object(JSON.parse(text ?? "")) as Record<string, unknown>;
  } catch {
    return undefined;
  }
}
