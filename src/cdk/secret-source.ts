import type { AnySecret, FunctionName, SecretSource } from "./lull-props.ts";

interface NamedSecret {
  readonly secret: AnySecret;
  readonly key?: string;
  readonly for?: readonly FunctionName[];
}

export function secretOf(source: SecretSource): NamedSecret {
  return "secret" in source ? source : { secret: source };
}
