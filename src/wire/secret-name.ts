import type { SecretReference } from "../ports/secrets.ts";

/** Secrets Manager ends every ARN with a dash and six characters that are no part of the name. */
const ARN = /^arn:[^:]+:secretsmanager:[^:]*:[^:]*:secret:(.+?)(-[A-Za-z0-9]{6})?$/;

/** Whether a record that names this secret means this reference: by name or by ARN, whatever field of it. */
export function isSecretOf(reference: SecretReference, id: string): boolean {
  if (typeof reference === "string" || !("name" in reference)) return false;
  return bareName(reference.name) === bareName(id);
}

function bareName(name: string): string {
  const [secret = ""] = name.split("#", 1);
  return ARN.exec(secret)?.[1] ?? secret;
}
