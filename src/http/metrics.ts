import { EXPOSITION_TYPE, exposition } from "../core/exposition.ts";
import type { Service } from "../runtime/service.ts";
import { isRead, methodNotAllowed } from "./answers.ts";
import { forAll, turnsOnly } from "./api.ts";
import type { Admit } from "./api-access.ts";
import type { EdgeAnswer, EdgeRequest } from "./edge-request.ts";
import { type RequestLimits, tooMany } from "./request-limits.ts";

const HEADERS = {
  "content-type": EXPOSITION_TYPE,
  "cache-control": "no-store",
  "x-content-type-options": "nosniff",
};

/** `GET /metrics` for Prometheus: of the whole service, whichever of its workers is asked. */
export function createMetrics(
  service: Service,
  limits: RequestLimits,
  admit: Admit,
): (request: EdgeRequest) => Promise<EdgeAnswer> {
  return async (request) => {
    const asked = await admit(request);
    if (asked.kind === "refused") return asked.answer;
    if (asked.caller !== "operator") return turnsOnly(service, asked.project);
    if (asked.project !== undefined) return forAll();
    if (!isRead(request.method)) return methodNotAllowed(["GET"]);
    return limits.proven().slots.use(async (): Promise<EdgeAnswer> => {
      const body = exposition(await service.metrics());
      return { status: 200, headers: HEADERS, body };
    }, tooMany);
  };
}
