import { mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createLull } from "lull";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { ENGINES } from "../src/cli/engines.ts";
import { load } from "../src/config/load.ts";
import { type Block, blocksOf, namedBlocksOf, pageNamed } from "./doc-pages.ts";
import { ROOT } from "./staged-package.ts";

/**
 * What a reader sets who has read the text before an example, from the heading or the last example on. What
 * that text does not name is not set.
 */
const VALUES: Readonly<Record<string, string>> = {
  TWILIO_ACCOUNT_SID: "AC00000000000000000000000000000009",
  TWILIO_AUTH_TOKEN: "a-token-of-twilio",
  WATI_API_URL: "https://wati.example/1",
  WATI_TOKEN: "a-token-of-wati",
  WATI_WEBHOOK_SECRET: "a-word-of-your-own",
  OPENAI_API_KEY: "a-key-of-openai",
  LULL_PUBLIC_URL: "https://bot.example.com",
  LULL_WEB_SECRET: "visitors-prove-with-this",
};

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "lull-docs-config-"));
  await writeFile(join(folder, "package.json"), '{ "type": "module" }');
  await symlink(join(ROOT, "node_modules"), join(folder, "node_modules"));
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await rm(folder, { recursive: true, force: true });
});

type Shown = Block & { readonly page: string };

function environmentOf({ page, code, line }: Shown): Record<string, string> {
  const above = pageNamed(page)
    .text.split("\n")
    .slice(0, line - 1)
    .join("\n");
  const said = above.split(/^(?:#+ .*|```.*)$/m).at(-1) ?? "";
  const told = Object.entries(VALUES).filter(([name]) => said.includes(`\`${name}\``));
  const named = [...code.matchAll(/\benv"?: "([A-Z_]+)"/g)].map(([, name = ""]) => [
    name,
    `what ${name} holds`,
  ]);
  return Object.fromEntries([...named, ...told]);
}

/**
 * As `lull start` begins, before it listens: the file is read, the service made, every channel opened and
 * asked whether it may be served.
 */
async function started(file: string, shown: Shown) {
  const code = shown.code.replaceAll("/run/secrets/", `${folder}/`);
  for (const [path] of code.matchAll(new RegExp(`${folder}/\\w+`, "g")))
    await writeFile(path, "kept in a file");
  for (const beside of namedBlocksOf(shown.page)) await writeFile(join(folder, beside.file), beside.code);
  await writeFile(join(folder, file), code);
  // Where no channel is named it is the phone page's, which `lull dev` has.
  const purpose = /^ {2}"?(channels|projects)"?:/m.test(code) ? "start" : "dev";
  const env = environmentOf(shown);
  // What a channel or a responder of a module is not told, it looks for in the environment itself.
  for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
  const loaded = await load({ file: undefined, env, flags: {}, cwd: folder, purpose, engines: ENGINES });
  const lull = createLull(loaded.config(() => {}));
  await lull.requireFit();
  return lull;
}

const where = ({ page, line }: Shown) => `${page}:${line}`;
const modules = blocksOf("ts").filter(({ code }) => /^export default defineConfig\(/m.test(code));
const isConfiguration = (content: object) =>
  ["channels", "projects", "window", "responder"].some((key) => key in content);

describe("configurations in the docs start:", () => {
  test("there are some of both kinds", () => {
    expect(modules.length).toBeGreaterThan(8);
  });

  test.each(modules.map((shown) => [where(shown), shown] as const))("%s", async (_, shown) => {
    const lull = await started("lull.config.ts", shown);
    expect(Object.keys(lull.channels)).not.toEqual([]);
  });

  test.each(blocksOf("json").map((shown) => [where(shown), shown] as const))(
    "%s is JSON, and starts if it is a configuration",
    async (_, shown) => {
      const content = JSON.parse(shown.code) as Record<string, unknown>;
      if (!isConfiguration(content)) return;
      const { channels } = await started("lull.config.json", shown);
      expect(Object.keys(channels)).toEqual(expect.arrayContaining(Object.keys(content.channels ?? {})));
    },
  );
});
