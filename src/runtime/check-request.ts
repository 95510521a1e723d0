import { InvalidRequest } from "../errors.ts";
import { isObject } from "../schema/is-object.ts";
import { problemsIn, TO_PROGRAMS } from "../schema/problems.ts";
import type { ObjectSchema } from "../schema/schema.ts";

/** The types of a request say the same to a compiler; not every caller has one. */
export function checkRequest(request: unknown, schema: ObjectSchema): void {
  if (!isObject(request)) throw new InvalidRequest("the request must be an object");
  const problems = problemsIn(request, schema, "", TO_PROGRAMS);
  if (problems.length > 0) throw new InvalidRequest(problems.join("; "));
}
