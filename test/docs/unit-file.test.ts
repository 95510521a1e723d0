import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { access, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { blocksOf } from "../doc-pages.ts";
import { freePort } from "../free-port.ts";
import { packedProject } from "../packed-project.ts";
import { ROOT } from "../staged-package.ts";
import { chat } from "../visitors.ts";
import { Terminal } from "./terminal.ts";

const UNIT = "deploy/lull.service";
/** What the service's machine has, and what these tests have in its place: no root, no systemd. */
const OF_THE_MACHINE = /^(useradd|systemctl) /;

let folder: string;
let terminal: Terminal;
let port: number;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "lull-unit-"));
  port = await freePort();
  await mkdir(join(folder, "etc/systemd/system"), { recursive: true });
  await mkdir(join(folder, "var/lib/lull"), { recursive: true });
  const PATH = `${dirname(process.execPath)}:${process.env.PATH}`;
  terminal = new Terminal(folder, { PATH, HOME: folder, npm_config_offline: "true" });
});

afterAll(async () => {
  await terminal.close();
  await rm(folder, { recursive: true, force: true });
});

/** The lines of a section: a setting may stand there more than once. */
function settings(text: string, section: string): [key: string, value: string][] {
  const [, lines = ""] = new RegExp(`^\\[${section}\\]\n((?:(?!\\[).*\n?)*)`, "m").exec(text) ?? [];
  return lines
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("#"))
    .map((line) => {
      const [, key = "", value = ""] =
        /^([A-Za-z]+)=(.*)$/.exec(line) ?? expect.fail(`not a setting: ${line}`);
      return [key, value];
    });
}

const isNoPath = (word: string) => !word.startsWith("PATH=");
const here = (path: string) => path.replaceAll(/\/(etc|var)\//g, `${folder}/$1/`);

test("the page's commands put what the unit names where it looks, and its service answers", async () => {
  const onPage = blocksOf("sh").filter(({ page }) => page === "docs/operating.md");
  const block = onPage.find(({ code }) => code.includes("systemctl enable"));
  const { tarball, remove } = await packedProject();
  const commands = (block?.code ?? "").replaceAll("sudo ", "").split("\n");
  const own = commands.filter((line) => OF_THE_MACHINE.test(line));
  expect(own.map((line) => line.split(" ")[0])).toEqual(["useradd", "systemctl"]);
  await writeFile(join(folder, ".env"), `LULL_WEB=1\nLULL_WINDOW_SECONDS=1\nPORT=${port}\n`);
  await terminal.run(`cp ${tarball} ${folder}`);
  const rest = commands.filter((line) => !OF_THE_MACHINE.test(line));
  await terminal.run(here(rest.join("\n")));
  await remove();

  const unit = await readFile(join(folder, "etc/systemd/system/lull.service"), "utf8");
  const service = settings(unit, "Service");
  const said = (key: string) => service.flatMap(([name, value]) => (name === key ? [value] : []));
  expect(own[0]).toContain(`${said("StateDirectory")}`);
  expect(own[0]?.endsWith(` ${said("User")}`)).toBe(true);
  const [directory = "", start = ""] = [said("WorkingDirectory")[0], said("ExecStart")[0]];
  expect(directory).toBe(`/etc/${said("ConfigurationDirectory")}`);
  const files = said("EnvironmentFile").map((file) => here(file.replace(/^-/, "")));
  // A Node of the folder's own, as npm would put it there: it counts before that of the machine.
  const [ownNode, used] = [join(folder, "etc/lull/node_modules/.bin/node"), join(folder, "used")];
  await writeFile(ownNode, `#!/bin/sh\n: > ${used}\nexec ${process.execPath} "$@"\n`, { mode: 0o755 });
  for (const path of [...files, ...(here(start).match(/\S*\/etc\/\S+/g) ?? [])].filter(isNoPath))
    await access(path);
  const environment = said("Environment").map((assignment) => `export ${here(assignment)}`);
  await terminal.run(["set -a", ...files.map((file) => `. ${file}`), ...environment].join("\n"));
  await terminal.run(`cd ${here(directory)}`);
  terminal.begin(here(start));
  const url = await terminal.until("its URL", (printed) => /listening on (\S+)/.exec(printed)?.[1]);
  expect(await chat(url, ["hi", "are you open?"])).toEqual(["2 messages, one answer:\nhi\nare you open?"]);
  await terminal.interrupt();
  await access(join(folder, "var/lib/lull/lull.db"));
  await access(used);
}, 180_000);

test("the unit has the sections that systemd reads, and in each a setting once", () => {
  const text = readFileSync(join(ROOT, UNIT), "utf8");
  expect([...text.matchAll(/^\[(\w+)\]$/gm)].map(([, name]) => name)).toEqual(["Unit", "Service", "Install"]);
  for (const section of ["Unit", "Service", "Install"]) {
    const keys = settings(text, section).map(([key]) => key);
    expect(keys.toSorted()).toEqual([...new Set(keys)].toSorted());
  }
});

const isThere = () => {
  try {
    execFileSync("systemd-analyze", ["--version"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
};

test.skipIf(!isThere())("systemd finds nothing wrong with the unit", () => {
  const said = execFileSync("systemd-analyze", ["verify", join(ROOT, UNIT)], {
    encoding: "utf8",
    stdio: "pipe",
  });
  expect(said).toBe("");
});
