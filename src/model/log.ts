export type LogLevel = "debug" | "info" | "warn" | "error";

/** For a person, or for a program: one JSON object a line. */
export type LogFormat = "pretty" | "json";

/** Fields are ids, counts and times. Customers' texts and addresses are never logged unmasked. */
export type LogFields = Record<string, string | number | boolean | undefined>;

/** `event` is a stable name such as `turn.committed`; alerts and dashboards are built on it. */
export type Log = (level: LogLevel, event: string, fields?: LogFields) => void;
