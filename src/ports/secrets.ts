/** Where a secret is stored. A plain string is the secret itself: fine in a test, unwise in a repository. */
export type SecretReference =
  | string
  | { readonly env: string }
  | { readonly file: string }
  | { readonly name: string };

export interface Secrets {
  /** Resolves a reference. Throws a `LullError` that names the reference, never the value. */
  get(reference: SecretReference): Promise<string>;
  /**
   * The name under which a store keeps what a reference does not name itself: that of `{ env: "KEY" }`, where
   * `KEY_SECRET` says it. For records of other systems, which name secrets so.
   */
  nameOf?(reference: SecretReference): string | undefined;
}
