/**
 * MB of each half of the space for new objects. Left alone, Node lets it grow to several times that under
 * load, and keeps it: a worker with 13 MB of live objects held 148. Collecting a smaller one took no more
 * CPU.
 */
export const NEW_SPACE_MB = 8;

const FLAG = /^--max[-_]semi[-_]space[-_]size\b/;

/** What Node is started with for a worker. What the operator has chosen, for the parent or all, counts. */
export function workerArguments(ofParent: readonly string[], nodeOptions = ""): string[] {
  const isChosen = [...ofParent, ...nodeOptions.split(/\s+/)].some((each) => FLAG.test(each));
  return isChosen ? [...ofParent] : [...ofParent, `--max-semi-space-size=${NEW_SPACE_MB}`];
}
