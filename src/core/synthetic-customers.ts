/** How names of load tests' customers begin: no number, mail address or user id does. */
const PREFIX = "lull-load-test-";
const NAME = /^lull-load-test-[0-9a-f]{8}-\d+$/;

export function syntheticName(run: string, number: number): string {
  return `${PREFIX}${run}-${number}`;
}

/** What a search for them is for: of one run, or of all. */
export function syntheticSearch(run?: string): string {
  return run === undefined ? PREFIX : `${PREFIX}${run}-`;
}

export function isSynthetic(name: string): boolean {
  return NAME.test(name);
}
