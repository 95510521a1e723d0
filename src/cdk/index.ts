export { Lull } from "./lull.ts";
export type {
  AnySecret,
  AnyTable,
  ConcurrencyProps,
  LullProps,
  NetworkProps,
  RateProps,
  SecretSource,
  ThrottlingProps,
  WorkerProps,
} from "./lull-props.ts";
export type { FunctionName } from "./table-access.ts";
export type { LullTable } from "./tables.ts";
