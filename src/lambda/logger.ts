import { Logger } from "@aws-lambda-powertools/logger";
import type { Log, LogFields } from "../model/log.ts";
import { safeFields } from "../runtime/log-privacy.ts";
import type { LambdaContext } from "./invocation.ts";

type LoggerContext = Parameters<Logger["addContext"]>[0];
type LevelName = NonNullable<NonNullable<ConstructorParameters<typeof Logger>[0]>["logLevel"]>;

/** Our log port over Powertools: the event is the message, the fields are masked as everywhere. */
export interface LambdaLog {
  readonly log: Log;
  /** From here on lines carry the id of this request. */
  begin(context: LambdaContext): void;
}

export function lambdaLog(serviceName: string, env = process.env): LambdaLog {
  const level = env.LULL_LOG_LEVEL?.trim().toUpperCase();
  const logger = new Logger({ serviceName, ...(level && { logLevel: level as LevelName }) });
  return {
    log: (level, event, fields = {}) => logger[level](event, { event, ...renamed(safeFields(fields)) }),
    begin: (context) => logger.addContext(context as LoggerContext),
  };
}

/** Powertools reserves these, and would drop ours with a warning each. */
const RESERVED = new Set(["level", "message", "sampling_rate", "service", "timestamp"]);

function renamed(fields: LogFields): LogFields {
  const entries = Object.entries(fields);
  return Object.fromEntries(entries.map(([key, value]) => [RESERVED.has(key) ? `field_${key}` : key, value]));
}
