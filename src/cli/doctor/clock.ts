import { type CheckResult, fail, ok, skip, warn } from "./check-result.ts";

/** When this was written: no correct clock is earlier. */
const EARLIEST_AT_MS = Date.UTC(2026, 10, 1);
/** In place of a URL. */
export const OFFLINE = Symbol("offline");
const WARN_MS = 5_000;
const FAIL_MS = 60_000;

/**
 * Our clock against the `Date` of a provider's answer. Windows use our clock alone; signatures and tokens do
 * not.
 */
export async function checkClock(
  nowMs: () => number,
  askUrl: string | typeof OFFLINE | undefined,
  signal: AbortSignal,
): Promise<CheckResult> {
  if (nowMs() < EARLIEST_AT_MS)
    return fail("clock", `the clock says ${new Date(nowMs()).toISOString()}, which is past`);
  if (askUrl === OFFLINE) return skip("clock", "not compared (--offline)");
  if (askUrl === undefined)
    return skip("clock", "not compared: there is no provider whose time could be asked");
  const theirAtMs = await dateOf(askUrl, signal);
  if (theirAtMs === undefined) return skip("clock", `not compared: ${new URL(askUrl).host} told no time`);
  // The provider's time has whole seconds.
  const offMs = Math.max(0, Math.abs(nowMs() - theirAtMs) - 1_000);
  const text = `${Math.round(offMs / 1_000)} s off ${new URL(askUrl).host}`;
  if (offMs > FAIL_MS) return fail("clock", `${text}: set the clock, run NTP`);
  return offMs > WARN_MS ? warn("clock", `${text}: run NTP`) : ok("clock", text);
}

async function dateOf(url: string, signal: AbortSignal): Promise<number | undefined> {
  try {
    const response = await fetch(url, { method: "HEAD", redirect: "manual", signal });
    const atMs = Date.parse(response.headers.get("date") ?? "");
    return Number.isNaN(atMs) ? undefined : atMs;
  } catch {
    // Another check says whether the provider can be reached.
    return undefined;
  }
}
