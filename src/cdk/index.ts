export { Lull } from "./lull.ts";
export type {
  AnyQueue,
  AnySecret,
  AnyTable,
  ConcurrencyProps,
  FunctionName,
  LullProps,
  LullTable,
  NetworkProps,
  RateProps,
  SecretSource,
  ThrottlingProps,
  WorkerProps,
} from "./lull-props.ts";
