import { Logger } from "@aws-lambda-powertools/logger";
import { safeFields } from "../core/privacy.ts";
import type { Log } from "../ports/log.ts";
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
    log: (level, event, fields = {}) => logger[level](event, { event, ...safeFields(fields) }),
    begin: (context) => logger.addContext(context as LoggerContext),
  };
}
