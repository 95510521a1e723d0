import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../staged-package.ts";

/** Codes of other programs' errors, by which an outage is recognised. */
const FOREIGN = ["src/wire/outage-codes.ts", "src/wire/connection-failure.ts"];
/** Where words of this form are names in tables, templates and tests of users. */
const ELSEWHERE = ["src/cdk/", "src/testing/", "src/engines/aws/dynamo/", "src/http/page/built/"];
const VARIABLE =
  /^(?:LULL|AWS|TWILIO|WATI|POWERTOOLS|NODE)_|^(?:OPENAI_(?:API_KEY|MODEL|BASE_URL)|ACME_KEY|SERVICE_TOKEN)$/;
/** Words of DynamoDB, Node, SQLite and TLS in the form of a code. */
const OTHERS = ["ALL_NEW", "ALL_OLD", "KEYS_ONLY", "EAI_AGAIN", "SQLITE_BUSY", "PAY_PER_REQUEST"];

/** Every word of the sources that has the form of an error's code, and is one. */
export function errorCodes(): string[] {
  const files = globSync("src/**/*.ts", { cwd: ROOT }).filter(
    (file) =>
      !file.endsWith(".test.ts") &&
      !FOREIGN.includes(file) &&
      !ELSEWHERE.some((folder) => file.startsWith(folder)),
  );
  const words = files.flatMap((file) => {
    const source = readFileSync(join(ROOT, file), "utf8");
    const inTexts = source.matchAll(/(?<=["`])[A-Z]+(?:_[A-Z]+)+(?="|: )/g);
    const given = source.matchAll(/\b(?:failure|refusal)\(\d+, "([A-Z]+)"/g);
    return [...[...inTexts].map(([word]) => word), ...[...given].map(([, word = ""]) => word)];
  });
  const codes = new Set(words.filter((word) => !VARIABLE.test(word) && !word.startsWith("ERR_")));
  return [...codes].filter((code) => !OTHERS.includes(code)).sort();
}
