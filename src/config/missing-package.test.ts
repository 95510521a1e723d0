import { expect, it } from "vitest";
import { missingPackage } from "./missing-package.ts";

function notFound(name: string, importer: string): Error {
  const message = `Cannot find package '${name}' imported from ${importer}`;
  return Object.assign(new Error(message), { code: "ERR_MODULE_NOT_FOUND" });
}

it.each([
  ["@aws-sdk/client-dynamodb", "/app/node_modules/lull/dist/engines/aws/options.js"],
  ["@aws-sdk/client-sqs", "/app/node_modules/lull/dist/engines/aws/options.js"],
  ["@aws-sdk/client-sqs", "C:\\app\\node_modules\\lull\\dist\\engines\\aws\\queue\\redrive.js"],
  ["@aws-sdk/util-dynamodb", "/app/node_modules/lull/dist/engines/aws/dynamo/wire.js"],
])("all packages of the engine are named, also if %s is missed first, by %s", (name, importer) => {
  expect(missingPackage(notFound(name, importer))).toBe(
    "packages are missing. Run: " +
      "npm install @aws-sdk/client-dynamodb @aws-sdk/client-sqs @aws-sdk/util-dynamodb",
  );
});

it("a package that is needed alone is named alone, and another error is none of a package", () => {
  const alone = notFound("@aws-sdk/client-sqs", "/app/node_modules/lull/dist/responders/queue/queue.js");
  expect(missingPackage(alone)).toBe(
    "@aws-sdk/client-sqs is not installed. Run: npm install @aws-sdk/client-sqs",
  );
  expect(missingPackage(notFound("left", "/app/lull.config.mjs"))).toBe(
    "left is not installed. Run: npm install left",
  );
  expect(missingPackage(new Error("no"))).toBeUndefined();
});
