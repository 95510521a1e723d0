import type { EngineProvider } from "../ports/engine.ts";
import { aroundEngine } from "./around-engine.ts";

/** What a call to the engine meets. `name` is `port.member`, such as `turns.commit`. */
export type Fault = (name: string, n: number) => "pass" | "hang" | "fail-before" | "fail-after";

/** The same engine behind a store that fails, or a process that is dead to it, as the fault says. */
export function withFaults(provider: EngineProvider, fault: Fault, error: () => Error): EngineProvider {
  let calls = 0;
  return aroundEngine(provider, () => async (name, _input, call) => {
    calls += 1;
    const met = fault(name, calls);
    if (met === "hang") return new Promise(() => {});
    if (met === "fail-before") throw error();
    const result = await call();
    if (met === "fail-after") throw error();
    return result;
  });
}
