import { ConfigError, LullError, tellable } from "../errors.ts";
import { MOMENT_SECONDS } from "../runtime/refuse.ts";
import type { Service } from "../runtime/service.ts";
import { failure, isRead, json, methodNotAllowed, notFound, notNow, tryAgain } from "./answers.ts";
import { createApi } from "./api.ts";
import { createAccess } from "./api-access.ts";
import { BodyAlreadyRead } from "./body-already-read.ts";
import type { EdgeAnswer, EdgeRequest, Handle } from "./edge-request.ts";
import { asksForProof, healthy, healthyAndProven } from "./healthz.ts";
import { createMetrics } from "./metrics.ts";
import { createRequestLimits, tooMany } from "./request-limits.ts";
import { rootAnswer } from "./root-answer.ts";
import { createWebhooks, webhookTargets } from "./webhooks.ts";

export interface EdgeOptions {
  /** `false`: no phone at `/`, even with a `web` channel (it may live in a page of the user's own). */
  readonly page?: boolean;
  /** Where the API has a port of its own, neither port serves the other's routes. */
  readonly serves?: "all" | "public" | "api";
  /**
   * A web channel's visitor is told why there is no answer, and which command helps. For developers: an
   * error of a provider may say more than a visitor should read.
   */
  readonly showsReasons?: boolean;
}

/** Path and query. Longer than any provider's, and than any of our own pages uses. */
const TARGET_LENGTH_MAX = 8_000;
const NO_METRICS = "there are no metrics here; CloudWatch has those of functions";

/** The whole of HTTP as one function. */
export function createEdge(service: Service, options: EdgeOptions = {}): Handle {
  const route = createRouter(service, options);
  return async (request) => {
    // Without a place of its own: a crowd is no reason to kill the process.
    if (request.path === "/healthz" && !asksForProof(request)) return healthy(request);
    if (request.path.length + request.search.length > TARGET_LENGTH_MAX)
      return failure(414, "INVALID_REQUEST", `a path and its query may have ${TARGET_LENGTH_MAX} characters`);
    try {
      return await route(request);
    } catch (error) {
      return unexpected(service, request, error);
    }
  };
}

type Answering = (request: EdgeRequest) => Promise<EdgeAnswer> | EdgeAnswer;

function createRouter(service: Service, options: EdgeOptions): Answering {
  const { serves = "all", page = true, showsReasons = false } = options;
  const limits = createRequestLimits(service);
  const targetOf = webhookTargets(service.aliases);
  const webhooks = createWebhooks(service, limits, showsReasons);
  const admit = createAccess(service);
  const api = createApi(service, limits, admit);
  const metrics = createMetrics(service, limits, admit);
  const root = rootAnswer(service, page, showsReasons);
  return (request) => {
    const { path } = request;
    if (asksForProof(request))
      return limits.slots.other.use(() => healthyAndProven(service, request), tooMany);
    if (path.startsWith("/api/") || path === "/api") return serves === "public" ? notFound() : api(request);
    if (path === "/metrics") return serves === "all" ? metrics(request) : notFound(NO_METRICS);
    if (serves === "api") return notFound();
    const target = targetOf(path);
    if (target) return webhooks(target, request);
    if (path !== "/" && path !== "/readyz") return notFound();
    if (!isRead(request.method)) return methodNotAllowed(["GET"]);
    return path === "/" ? root : limits.slots.other.use(() => ready(service), tooMany);
  };
}

async function ready(service: Service): Promise<EdgeAnswer> {
  try {
    await service.ready();
    return json(200, { status: "ready" });
  } catch (error) {
    // Only messages of our own are known to hold no secret.
    const reason = error instanceof LullError ? error.message : "the store does not answer";
    return json(503, { status: "unavailable", reason }, { "retry-after": String(MOMENT_SECONDS) });
  }
}

function unexpected(service: Service, request: EdgeRequest, error: unknown): EdgeAnswer {
  // Only the first segment: what follows may name a person.
  const area = `/${request.path.split("/", 2)[1] ?? ""}`;
  // The configuration was right when the service started; since then a secret's file was changed or removed.
  // An operator repairs it, and the caller may come back.
  if (error instanceof ConfigError) {
    service.sampled.note("error", "config.failed", { area, reason: tellable(error) });
    return notNow();
  }
  service.sampled.note("error", "http.error", { method: request.method, area, reason: tellable(error) });
  if (error instanceof BodyAlreadyRead) return failure(500, error.code, error.message);
  if (error instanceof LullError && error.retry === "later")
    return tryAgain(error.code, Math.ceil((error.retryAfterMs ?? 1_000) / 1_000));
  return failure(500, "INTERNAL", "something went wrong here; the log says what");
}
