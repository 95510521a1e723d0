import manifest from "../../package.json" with { type: "json" };

/** Where a reader of the registry's page goes on from there. */
const HOME = ["repository", "homepage", "bugs"];

/**
 * No home is made up while the project has none: a link that leads nowhere, or to somebody else, is worse than
 * none. Who publishes it knows.
 */
const missing = HOME.filter((field) => !(field in manifest));
if (missing.length > 0) {
  console.error(`package.json has no ${missing.join(", ")}: say where Lull lives before it is published.`);
  process.exitCode = 1;
}
