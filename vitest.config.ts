import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import manifest from "./package.json" with { type: "json" };
import { closingLine } from "./test/closing-line.ts";

/** `lull` and its subpaths, as examples import them, are the sources: tests need no build. */
const alias = Object.entries(manifest.exports).flatMap(([subpath, target]) => {
  if (typeof target === "string") return [];
  const source = target.default.replace("/dist/", "/src/").replace(/\.js$/, ".ts");
  return {
    find: new RegExp(`^lull${subpath.slice(1)}$`),
    replacement: fileURLToPath(new URL(source, import.meta.url)),
  };
});

export default defineConfig({
  resolve: { alias },
  test: {
    include: ["src/**/*.test.ts", "web/**/*.test.ts", "{test,tools,examples,bench}/**/*.test.ts"],
    // On emulators, or long: `npm run test:aws` runs them, and `npm run check` runs both.
    exclude: [
      "bench/node_modules/**",
      ...(process.env.LULL_TEST_AWS
        ? []
        : ["test/aws/**", "tools/aws-local/**", "test/cdk/**", "test/simulation/bites.test.ts"]),
    ],
    reporters: ["default", closingLine],
    globalSetup: ["test/temporary-folder.ts"],
    // The slow files start real processes and mostly wait for them: more files at once than cores.
    maxWorkers: Math.max(4, availableParallelism()),
    // Hundreds of processes and threads run the same sources: each file is compiled once.
    env: { NODE_COMPILE_CACHE: fileURLToPath(new URL("node_modules/.cache/compile", import.meta.url)) },
    testTimeout: 90_000,
    hookTimeout: 60_000,
    coverage: {
      provider: "v8",
      include: ["src/core/**", "src/runtime/**"],
      exclude: ["**/*.test.ts"],
      reporter: [["text", { skipFull: true }], "html"],
      thresholds: { "src/core/**": { branches: 95 }, "src/runtime/**": { branches: 95 } },
    },
  },
});
