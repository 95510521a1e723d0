import { dirname } from "node:path";
import type { Loaded } from "../../config/load.ts";
import { CONFIG_VARIABLE } from "../../config/resolve-settings.ts";
import { createLull } from "../../index.ts";
import { withoutUsers } from "../../schema/plain-url.ts";
import type { Call, Command } from "../command.ts";
import { silent } from "../data.ts";
import { checkApi } from "../doctor/api.ts";
import { checkHalfCopies } from "../doctor/backups.ts";
import { type CheckResult, fail, ok, warn } from "../doctor/check-result.ts";
import { checkClock } from "../doctor/clock.ts";
import { checkDisk } from "../doctor/disk.ts";
import { checkEnvironmentFile } from "../doctor/environment-file.ts";
import { checkHost, checkOpenPort } from "../doctor/open-port.ts";
import { checkOverdue } from "../doctor/overdue.ts";
import { checkProjects } from "../doctor/projects.ts";
import { checkChannels, checkResponders, providerUrl } from "../doctor/providers.ts";
import { checkRights } from "../doctor/rights.ts";
import { checkSecretFiles } from "../doctor/secret-files.ts";
import { checkService } from "../doctor/service.ts";
import { checkStore } from "../doctor/store.ts";
import { checkTurns } from "../doctor/turns.ts";
import { checkWebhooks } from "../doctor/webhooks.ts";
import { printJson } from "../output/print.ts";
import { progress } from "../output/progress.ts";
import { wrapped } from "../output/wrapped.ts";

/** How long all questions to providers may take together. */
const NETWORK_MS = 15_000;
/** A service on this machine answers at once, or it has other problems. */
const SERVICE_MS = 3_000;
/** Behind the verdict. */
const INDENT = 6;
const SHOWN = { ok: "ok  ", warn: "warn", fail: "FAIL" } as const;

export const doctor: Command = {
  about: `Checks what a service needs: configuration, credentials, clock, database and disk, webhook URLs.
Ends with exit code 1 when something has to be put right; warnings alone end with 0.`,
  options: { offline: { type: "boolean", help: "ask no provider: no credentials, no comparison of clocks" } },
  settings: "all",
  run: async (call) => {
    const shown = progress(call.io);
    shown.update("checking ...");
    // A reason may quote the URL that a check could not call.
    const findings = (await examine(call)).map((each) => ({ ...each, detail: withoutUsers(each.detail) }));
    shown.end();
    const failed = findings.some(({ verdict }) => verdict === "fail");
    if (call.json) printJson(call, { ok: !failed, findings });
    else
      for (const { verdict, check, detail } of findings)
        call.io.out(wrapped(`${SHOWN[verdict]}  ${check}: ${detail}`, INDENT, call.io.columns));
    return failed ? 1 : 0;
  },
};

async function examine(call: Call): Promise<CheckResult[]> {
  try {
    const loaded = await call.load("look");
    const lull = createLull(loaded.config(silent));
    try {
      return [ok("configuration", placeOf(loaded.file)), ...(await examineLoaded(call, loaded, lull))];
    } finally {
      await lull.stop(0);
    }
  } catch (error) {
    return [fail("configuration", (error as Error).message)];
  }
}

async function examineLoaded(
  call: Call,
  loaded: Loaded,
  lull: ReturnType<typeof createLull>,
): Promise<CheckResult[]> {
  const { db } = loaded.server;
  const online = call.options.offline !== true;
  const signal = AbortSignal.timeout(NETWORK_MS);
  // The phone page exists only in `lull dev`, unless the configuration asks for it.
  const channels = loaded.channels.filter(({ origin }) => origin !== "lull dev");
  // Asked first: the other checks open the database, and this one looks whether it is open.
  const service = checkService(loaded.server, lull, AbortSignal.timeout(SERVICE_MS));
  const groups = await Promise.all([
    db === undefined ? [] : checkDisk(db),
    db === undefined ? [] : checkRights(db, call.io.cwd),
    checkEnvironmentFile(call.io.cwd, call.io.env),
    loaded.misspelt.map((sentence) => warn("environment", sentence)),
    checkSecretFiles(loaded.file, call.io.cwd),
    db === undefined ? [] : checkHalfCopies([dirname(db), call.io.cwd]),
    checkStore(lull, db, call.io.nowMs(), loaded.config(silent).engine.seedTables !== undefined),
    service.then((found) => (found.length > 0 ? found : checkOverdue(lull, loaded.server, call.io.nowMs()))),
    checkClock(call.io.nowMs, online ? providerUrl(loaded) : undefined, signal),
    online ? checkChannels(channels, signal) : [],
    online ? checkResponders(loaded, signal) : [],
    checkWebhooks(loaded, channels),
    checkHost(loaded.server.host),
    checkOpenPort(
      loaded.server.host,
      Object.fromEntries(channels.map(({ name, channel }) => [name, channel])),
    ),
    checkApi(lull),
    checkProjects(lull, db),
    checkTurns(lull, db, call.io.nowMs()),
  ]);
  return groups.flat();
}

/** A variable is in no folder. */
function placeOf(file: Loaded["file"]): string {
  if (file === undefined) return "environment and flags";
  return file.name === CONFIG_VARIABLE ? file.name : file.path;
}
