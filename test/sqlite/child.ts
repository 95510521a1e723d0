import { settingsWith } from "../../src/core/defaults.ts";
import { openConnection } from "../../src/engines/sqlite/connection.ts";
import { sqlite } from "../../src/engines/sqlite/index.ts";
import { LullError } from "../../src/errors.ts";
import type { GivenSettings } from "../../src/model/settings.ts";
import type { Engine } from "../../src/ports/engine.ts";
import { processIdentity } from "../../src/process/identity.ts";
import { systemClock } from "../../src/runtime/system-clock.ts";

/** A worker's engine in a process of its own: does what its parent asks, and dies with it. */
export interface Call {
  readonly id: number;
  /** `open`, `makeFile`, or a path such as `receiving.stage`. */
  readonly name: string;
  readonly input: readonly unknown[];
}

export interface Answer {
  readonly id: number;
  readonly result?: unknown;
  readonly error?: { readonly code: string; readonly message: string };
}

const [file = "", settings = "{}"] = process.argv.slice(2);
let engine: Engine | undefined;

async function carryOut({ name, input }: Call): Promise<unknown> {
  if (name === "makeFile") return openConnection({ file: String(input[0]), synchronous: "full" }).close();
  if (name !== "open") {
    const [port = "", method = ""] = name.split(".");
    const methods = engine?.[port as keyof Engine] as unknown as Record<
      string,
      (...all: unknown[]) => unknown
    >;
    return methods[method]?.(...input);
  }
  engine = await sqlite({ file }).open({
    clock: systemClock,
    settings: settingsWith(JSON.parse(settings) as Partial<GivenSettings>),
    holder: processIdentity(),
    log: () => {},
    onArmed: () => {},
  });
  return undefined;
}

process.on("disconnect", () => process.exit());
process.on("message", async (call: Call) => {
  try {
    process.send?.({ id: call.id, result: await carryOut(call) } satisfies Answer);
  } catch (error) {
    const code = error instanceof LullError ? error.code : "UNEXPECTED";
    process.send?.({ id: call.id, error: { code, message: String(error) } } satisfies Answer);
  }
});
process.send?.("ready");
