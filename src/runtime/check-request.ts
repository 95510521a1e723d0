import { problemsIn, TO_PROGRAMS } from "../core/problems.ts";
import type { ObjectSchema } from "../core/schema.ts";
import { isObject } from "../core/shape.ts";
import { InvalidRequest } from "../errors.ts";

/** The types of a request say the same to a compiler; not every caller has one. */
export function checkRequest(request: unknown, schema: ObjectSchema): void {
  if (!isObject(request)) throw new InvalidRequest("the request must be an object");
  const problems = problemsIn(request, schema, "", TO_PROGRAMS);
  if (problems.length > 0) throw new InvalidRequest(problems.join("; "));
}
