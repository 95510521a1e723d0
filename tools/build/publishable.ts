import manifest from "../../package.json" with { type: "json" };

/** Where a reader of the registry's page goes on from there. */
const HOME = ["repository", "homepage", "bugs"];

/** The repository names no home yet, and a link to a made-up one is worse than none. */
const missing = HOME.filter((field) => !(field in manifest));
if (missing.length > 0) {
  console.error(`package.json has no ${missing.join(", ")}: say where Lull lives before it is published.`);
  process.exitCode = 1;
}
