export { Lull } from "./lull.ts";
export type {
  AnySecret,
  AnyTable,
  LullProps,
  SecretSource,
  ThrottlingProps,
  WorkerProps,
} from "./lull-props.ts";
export type { LullTable } from "./tables.ts";
