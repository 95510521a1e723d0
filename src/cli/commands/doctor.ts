import { existsSync } from "node:fs";
import { dirname } from "node:path";
import type { Loaded } from "../../config/load.ts";
import { CONFIG_VARIABLE } from "../../config/resolve-settings.ts";
import { placeProblem } from "../../engines/sqlite/place.ts";
import { createLull } from "../../index.ts";
import { withoutUsers } from "../../schema/plain-url.ts";
import type { Call, Command } from "../command.ts";
import { silent } from "../data.ts";
import { checkApi } from "../doctor/api.ts";
import { checkHalfCopies } from "../doctor/backups.ts";
import { checkChannels } from "../doctor/channels.ts";
import { type CheckResult, fail, ok, skip, warn } from "../doctor/check-result.ts";
import { checkClock, OFFLINE } from "../doctor/clock.ts";
import { checkDisk } from "../doctor/disk.ts";
import { checkEnvironmentFile } from "../doctor/environment-file.ts";
import type { Asking } from "../doctor/findings.ts";
import { checkHost, checkOpenPort } from "../doctor/open-port.ts";
import { checkOverdue } from "../doctor/overdue.ts";
import { checkProjects } from "../doctor/projects.ts";
import { checkPublicUrl } from "../doctor/public-url.ts";
import { checkResponders, providerUrl } from "../doctor/responders.ts";
import { checkRights } from "../doctor/rights.ts";
import { checkSecretFiles } from "../doctor/secret-files.ts";
import { checkService } from "../doctor/service.ts";
import { checkStore } from "../doctor/store.ts";
import { checkTurns } from "../doctor/turns.ts";
import { webhooksOf } from "../doctor/webhooks.ts";
import { printJson } from "../output/print.ts";
import { progress } from "../output/progress.ts";
import { wrapped } from "../output/wrapped.ts";

/** How long all questions to providers may take together. */
const NETWORK_MS = 15_000;
/** And what does not hear that the time is over. */
const LATE_MS = 1_000;
/** A service on this machine answers at once, or it has other problems. */
const SERVICE_MS = 3_000;
/** Behind the verdict. */
const INDENT = 6;
const SHOWN = { ok: "ok  ", warn: "warn", fail: "FAIL", skip: "skip" } as const;

export const doctor: Command = {
  about: `Checks what a service needs: configuration, credentials, clock, database and disk, who answers, and
whether the public URL leads here and providers call it. What is not checked says \`skip\`, and why.
Ends with exit code 1 when something has to be put right; warnings alone end with 0.`,
  options: {
    offline: { type: "boolean", help: "ask no other machine: no credentials, webhooks, public URL, clocks" },
  },
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
  const asking = askingFor(call);
  // The phone page exists only in `lull dev`, unless the configuration asks for it.
  const channels = loaded.channels.filter(({ origin }) => origin !== "lull dev");
  // Asked first: the other checks open the database, and this one looks whether it is open.
  const service = checkService(loaded.server, lull, AbortSignal.timeout(SERVICE_MS));
  const hasStore = db === undefined || existsSync(db);
  const groups = await Promise.all([
    db === undefined ? [] : checkDisk(db),
    db === undefined || placeProblem(db) !== undefined ? [] : checkRights(db, call.io.cwd),
    checkEnvironmentFile(call.io.cwd, call.io.env),
    loaded.misspelt.map((sentence) => warn("environment", sentence)),
    checkSecretFiles(loaded.file, call.io.cwd),
    db === undefined ? [] : checkHalfCopies([dirname(db), call.io.cwd]),
    checkStore(lull, db, call.io.nowMs(), loaded.config(silent).engine.seedTables !== undefined),
    service.then((found) => (found.length > 0 ? found : withoutService(lull, loaded, call.io.nowMs()))),
    checkClock(call.io.nowMs, asking.online ? providerUrl(loaded) : OFFLINE, asking.signal),
    checkChannels(channels, webhooksOf(loaded), asking),
    checkResponders(loaded.asked, asking),
    checkPublicUrl(loaded, lull, hasStore, asking),
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

/** All at once, and all within one time. */
function askingFor(call: Call): Asking {
  return {
    online: call.options.offline !== true,
    signal: AbortSignal.timeout(NETWORK_MS),
    late: AbortSignal.timeout(NETWORK_MS + LATE_MS),
  };
}

/** Nothing listens: `doctor` also runs before a start. */
async function withoutService(
  lull: ReturnType<typeof createLull>,
  { server }: Loaded,
  nowMs: number,
): Promise<CheckResult[]> {
  const overdue = await checkOverdue(lull, server, nowMs);
  if (overdue.length > 0) return overdue;
  if (server.port === 0) return [skip("service", "the port is 0: any free one, so there is none to ask")];
  return [skip("service", `none answers on port ${server.port} of this machine`)];
}

/** A variable is in no folder. */
function placeOf(file: Loaded["file"]): string {
  if (file === undefined) return "environment and flags";
  return file.name === CONFIG_VARIABLE ? file.name : file.path;
}
