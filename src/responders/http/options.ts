import type { SecretReference, Secrets } from "../../ports/secrets.ts";

export interface HttpOptions {
  readonly url: string;
  /**
   * Signs each body, so that the service knows who asks: `x-lull-signature: sha256=<hex HMAC of the body>`.
   */
  readonly secret?: SecretReference;
  /** Further headers. A value may be a reference: `{ authorization: { env: "SERVICE_TOKEN" } }`. */
  readonly headers?: Readonly<Record<string, SecretReference>>;
  /** How much of the history goes along; the runtime's own limit where left out, 0 for none. */
  readonly historyMessagesMax?: number;
  readonly secrets?: Secrets;
}

/** What they come to. */
export interface Service extends HttpOptions {
  readonly endpoint: URL;
  readonly secrets: Secrets;
}
