import type { Engine, EngineProvider } from "../ports/engine.ts";

/** What a call to the engine meets. `name` is `port.member`, such as `turns.commit`. */
export type Fault = (name: string, n: number) => "pass" | "hang" | "fail-before" | "fail-after";

/** The same engine behind a store that fails, or a process that is dead to it, as the fault says. */
export function withFaults(provider: EngineProvider, fault: Fault, error: () => Error): EngineProvider {
  return {
    ...provider,
    async open(context) {
      const engine = await provider.open(context);
      let calls = 0;
      const wrapped = Object.entries(engine).map(([port, members]) => {
        if (typeof members !== "object" || members === null) return [port, members];
        const entries = Object.entries(members as object).map(([member, call]) => [
          member,
          async (...input: unknown[]) => {
            calls += 1;
            const met = fault(`${port}.${member}`, calls);
            if (met === "hang") return new Promise(() => {});
            if (met === "fail-before") throw error();
            const result = await (call as (...given: unknown[]) => Promise<unknown>)(...input);
            if (met === "fail-after") throw error();
            return result;
          },
        ]);
        return [port, Object.fromEntries(entries)];
      });
      return Object.fromEntries(wrapped) as Engine;
    },
  };
}
