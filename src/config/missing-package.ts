/** What the AWS engine and the queue responder stand on: packages that only their users install. */
const AWS_PACKAGES = ["@aws-sdk/client-dynamodb", "@aws-sdk/client-sqs", "@aws-sdk/util-dynamodb"];

/** The command that installs what an import did not find; undefined for any other error. */
export function missingPackage(error: unknown): string | undefined {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code !== "ERR_MODULE_NOT_FOUND") return undefined;
  const name = /package '([^']+)'/.exec(message)?.[1];
  if (name === undefined) return undefined;
  const packages = AWS_PACKAGES.includes(name) ? AWS_PACKAGES.join(" ") : name;
  return `${name} is not installed. Run: npm install ${packages}`;
}
