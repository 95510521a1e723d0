/** Packages that only users of one part install, grouped with everything that the part needs. */
const GROUPS = [
  // The AWS engine.
  ["@aws-sdk/client-dynamodb", "@aws-sdk/client-sqs", "@aws-sdk/util-dynamodb"],
  // Secrets that are given by name.
  ["@aws-lambda-powertools/parameters", "@aws-sdk/client-secrets-manager"],
];
/** The queue responder needs this one and no other. */
const ALONE = "@aws-sdk/client-sqs";
const QUEUE = /[\\/]responders[\\/]queue[\\/]/;

/**
 * The command that installs what an import did not find; undefined for any other error. Files are loaded at
 * the same time, so which of several packages is missed first is chance: a group is always named as one.
 * `forQueue`: the queue responder was loaded. A file that is loaded tells only who imported the package.
 */
export function missingPackage(error: unknown, forQueue = false): string | undefined {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code !== "ERR_MODULE_NOT_FOUND") return undefined;
  const [, name, importer = ""] = /package '([^']+)'(?: imported from (.+))?/.exec(message) ?? [];
  if (name === undefined) return undefined;
  const isAlone = name === ALONE && (forQueue || QUEUE.test(importer));
  const group = isAlone ? undefined : GROUPS.find((packages) => packages.includes(name));
  return group
    ? `packages are missing. Run: npm install ${group.join(" ")}`
    : `${name} is not installed. Run: npm install ${name}`;
}
