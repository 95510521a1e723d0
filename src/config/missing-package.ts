/** Packages that only users of one part install, grouped with everything that the part needs. */
const GROUPS = [
  // The AWS engine.
  ["@aws-sdk/client-dynamodb", "@aws-sdk/client-sqs", "@aws-sdk/util-dynamodb"],
  // Secrets that are given by name.
  ["@aws-lambda-powertools/parameters", "@aws-sdk/client-secrets-manager"],
];
/** The queue responder needs this one and no other. */
const ALONE = "@aws-sdk/client-sqs";

/** The command that installs what an import did not find; undefined for any other error. */
export function missingPackage(error: unknown): string | undefined {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code !== "ERR_MODULE_NOT_FOUND") return undefined;
  const name = /package '([^']+)'/.exec(message)?.[1];
  if (name === undefined) return undefined;
  // Imports resolve in order: a user of the engine who lacks both clients hears of the one for DynamoDB
  // first.
  const packages = (name !== ALONE && GROUPS.find((group) => group.includes(name))) || [name];
  return `${name} is not installed. Run: npm install ${packages.join(" ")}`;
}
