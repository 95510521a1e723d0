import { createRequire } from "node:module";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { KNOBS } from "../../src/config/knobs.ts";
import { pageNamed } from "../doc-pages.ts";
import { ROOT } from "../staged-package.ts";
import { readToml } from "./toml.ts";

// The one that comes with the CDK.
const beside = createRequire(createRequire(join(ROOT, "package.json")).resolve("aws-cdk-lib"));
const { parse } = beside("yaml") as { parse(text: string): unknown };

const { blocks, text } = pageNamed("docs/hosting.md");
const codes = (language: string) =>
  blocks.filter((block) => block.language === language).map(({ code }) => code);
const [compose, render, cloudInit] = codes("yaml").map(parse) as [Compose, Render, CloudInit];
const [fly] = codes("toml").map(readToml) as unknown as [Fly];
const [dockerfile = ""] = codes("dockerfile");

interface Compose {
  services: Record<"lull" | "caddy", { ports?: string[]; volumes: string[]; stop_grace_period?: string }>;
  volumes: Record<string, null>;
}
interface Render {
  services: {
    healthCheckPath: string;
    numInstances: number;
    maxShutdownDelaySeconds: number;
    disk: { mountPath: string };
    envVars: { key: string; value?: string; sync?: boolean }[];
  }[];
}
interface Fly {
  kill_signal: string;
  kill_timeout: number;
  env: Record<string, string>;
  mounts: { destination: string }[];
  http_service: {
    internal_port: number;
    auto_stop_machines: string;
    checks: { path: string; timeout: string }[];
  };
}
interface CloudInit {
  packages: string[];
  users: (string | { name: string; homedir: string })[];
  write_files: { path: string; permissions: string; content: string }[];
  runcmd: string[];
}

const [service] = render.services;
const defaultOf = (name: string) => KNOBS.find(({ key }) => key === name)?.default;
/** What running turns have, what is still being sent has after that, and some more. */
const STOP_SECONDS = Number(defaultOf("stopGraceSeconds")) + 5 + 5;

describe("the files for hosts", () => {
  test("wait longer with the kill than Lull takes to stop", () => {
    const waits = [
      Number.parseInt(compose.services.lull.stop_grace_period ?? "", 10),
      fly.kill_timeout,
      service?.maxShutdownDelaySeconds,
    ];
    expect(waits.filter((seconds) => !((seconds ?? 0) >= STOP_SECONDS))).toEqual([]);
    expect(fly.kill_signal).toBe("SIGTERM");
  });

  test("have one instance that is never stopped, with the database on its disk", () => {
    const folder = /LULL_DB=(\/\w+)\//.exec(dockerfile)?.[1] ?? "";
    expect(compose.services.lull.volumes).toEqual([`lull-data:${folder}`]);
    expect(Object.keys(compose.volumes)).toEqual(["lull-data", "caddy-data"]);
    expect(fly.mounts.map(({ destination }) => destination)).toEqual([folder]);
    expect(service?.disk.mountPath).toBe(folder);
    expect([fly.http_service.auto_stop_machines, service?.numInstances]).toEqual(["off", 1]);
  });

  test("reach the port that Lull listens on, and look at a path that it has", () => {
    const port = Number(defaultOf("port"));
    expect(fly.http_service.internal_port).toBe(port);
    expect(service?.envVars.find(({ key }) => key === "PORT")?.value).toBe(String(port));
    expect(dockerfile).toContain(`EXPOSE ${port}`);
    expect(compose.services.lull.ports).toBeUndefined();
    const looks = [service?.healthCheckPath, ...fly.http_service.checks.map(({ path }) => path)];
    expect(looks).toEqual(["/healthz", "/healthz"]);
    expect(dockerfile).toContain(`127.0.0.1:${port}/healthz`);
  });

  test("set what Lull reads, and no secret", () => {
    const known = KNOBS.flatMap(({ env }) => env ?? []);
    const inImage = [...dockerfile.matchAll(/\b((?:LULL|TWILIO|OPENAI)_\w+)=/g)].map(([, name = ""]) => name);
    const onRender = service?.envVars.map(({ key }) => key) ?? [];
    const names = [...inImage, ...Object.keys(fly.env), ...onRender];
    expect(names.length).toBeGreaterThan(6);
    expect(names.filter((name) => !known.includes(name))).toEqual([]);
    const secret = KNOBS.flatMap(({ env, kind }) => (kind.type === "secret" ? [env] : []));
    const asked = (service?.envVars ?? []).filter(({ key }) => secret.includes(key));
    expect(asked.length).toBeGreaterThan(1);
    expect(asked.filter(({ sync }) => sync !== false)).toEqual([]);
    expect(Object.keys(fly.env).filter((name) => secret.includes(name))).toEqual([]);
  });

  test("make the user and the folders of the unit that the package has", () => {
    const [, user] = cloudInit.users;
    expect(user).toMatchObject({ name: "lull", homedir: "/var/lib/lull" });
    expect(cloudInit.packages).toContain("caddy");
    const [backup] = cloudInit.write_files;
    expect(backup?.content).toMatch(/^#!\/bin\/sh\nset -e\nlull backup "\/var\/lib\/lull\/backups\//);
    expect(cloudInit.runcmd.every((line) => typeof line === "string")).toBe(true);
    expect(text).toContain("deploy/lull.service /etc/systemd/system/");
  });
});
