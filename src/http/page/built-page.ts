/** A page under `web`, as the build leaves it: one document, with the hashes of what runs in it. */
export interface BuiltPage {
  readonly html: string;
  readonly script: string;
  readonly style: string;
}
