import { expect, test } from "vitest";
import { isTraced } from "./tracing.ts";

const HEADER = "Root=1-67890abc-0123456789abcdef01234567;Parent=0123456789abcdef";

test.each([
  [{ _X_AMZN_TRACE_ID: `${HEADER};Sampled=1` }, true],
  [{ _X_AMZN_TRACE_ID: `${HEADER};Sampled=1;Lineage=1:abcdef:0` }, true],
  [{ _X_AMZN_TRACE_ID: `${HEADER};Sampled=1`, POWERTOOLS_TRACE_ENABLED: "true" }, true],
  [{ _X_AMZN_TRACE_ID: `${HEADER};Sampled=0` }, false],
  [{ _X_AMZN_TRACE_ID: HEADER }, false],
  [{ _X_AMZN_TRACE_ID: `${HEADER};Sampled=1`, POWERTOOLS_TRACE_ENABLED: "false" }, false],
  [{ _X_AMZN_TRACE_ID: `${HEADER};Sampled=1`, POWERTOOLS_TRACE_ENABLED: "0" }, false],
  [{}, false],
])("with %o a request is traced: %s", (env, expected) => {
  expect(isTraced(env)).toBe(expected);
});
