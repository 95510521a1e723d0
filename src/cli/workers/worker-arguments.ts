/**
 * MB of each half of the space for new objects. Left alone, Node lets it grow to several times that under
 * load, and keeps it: a worker with 13 MB of live objects held 148. Collecting a smaller one took no more
 * CPU.
 */
export const NEW_SPACE_MB = 8;

/** V8 takes one dash or two, and `_` for `-`. A least size is overruled by a limit below it. */
const FLAG = /^--?(max|min)[-_]semi[-_]space[-_]size\b/;

/** What Node is started with for a worker. What the operator has chosen, for the parent or all, counts. */
export function workerArguments(ofParent: readonly string[], nodeOptions = ""): string[] {
  const isChosen = [...ofParent, ...argumentsIn(nodeOptions)].some((each) => FLAG.test(each));
  return isChosen ? [...ofParent] : [...ofParent, `--max-semi-space-size=${NEW_SPACE_MB}`];
}

/**
 * As Node splits NODE_OPTIONS: at spaces, but not inside of double quotes, where a backslash keeps what
 * follows it.
 */
function argumentsIn(nodeOptions: string): string[] {
  const parts = nodeOptions.match(/(?:"(?:\\.|[^"\\])*"|[^ "])+/gs) ?? [];
  return parts.map((part) => part.replaceAll(/"((?:\\.|[^"\\])*)"/gs, (_, quoted) => unescaped(quoted)));
}

function unescaped(quoted: string): string {
  return quoted.replaceAll(/\\(.)/gs, "$1");
}
