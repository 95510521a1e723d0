import { expect, it } from "vitest";
import { missingPackage } from "./missing-package.ts";

function notFound(name: string, importer: string): Error {
  const message = `Cannot find package '${name}' imported from ${importer}`;
  return Object.assign(new Error(message), { code: "ERR_MODULE_NOT_FOUND" });
}

// The package is bundled: a chunk's name does not tell which part it belongs to.
const CHUNK = "/app/node_modules/lull/dist/shared/chunk-ZUR3R42T.js";

it.each([["@aws-sdk/client-dynamodb"], ["@aws-sdk/client-sqs"], ["@aws-sdk/util-dynamodb"]])(
  "all packages of the engine are named, also if %s is missed first",
  (name) => {
    expect(missingPackage(notFound(name, CHUNK))).toBe(
      "packages are missing. Run: " +
        "npm install @aws-sdk/client-dynamodb @aws-sdk/client-sqs @aws-sdk/util-dynamodb",
    );
  },
);

it("a package that is needed alone is named alone, and another error is none of a package", () => {
  const alone = notFound("@aws-sdk/client-sqs", "/app/node_modules/lull/dist/responders/queue/index.js");
  const words = "@aws-sdk/client-sqs is not installed. Run: npm install @aws-sdk/client-sqs";
  expect(missingPackage(alone)).toBe(words);
  expect(missingPackage(notFound("@aws-sdk/client-sqs", CHUNK), true)).toBe(words);
  expect(missingPackage(notFound("left", "/app/lull.config.mjs"))).toBe(
    "left is not installed. Run: npm install left",
  );
  expect(missingPackage(new Error("no"))).toBeUndefined();
});
