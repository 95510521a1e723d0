import type { CheckVerdict, Finding } from "../ports/check-result.ts";
import type { SecretReference } from "../ports/secrets.ts";

export function found(verdict: CheckVerdict, detail: string): Finding {
  return { verdict, detail };
}

export function aboutWebhook(verdict: CheckVerdict, detail: string): Finding {
  return { verdict, detail, about: "webhook" };
}

/** Where a secret was said, for a person who is to put it right; never the secret. */
export function sourceOf(reference: SecretReference, option: string): string {
  if (typeof reference === "string") return `\`${option}\` in the configuration`;
  if ("env" in reference) return reference.env;
  return "file" in reference ? reference.file : `the secret ${reference.name}`;
}
