import type { Engine, EngineContext, EngineProvider } from "../ports/engine.ts";

/** Called instead of every member of every port. `name` is `port.member`, such as `turns.commit`. */
export type Around = (
  name: string,
  input: readonly unknown[],
  call: () => Promise<unknown>,
) => Promise<unknown>;

/** The same engine, with something in between: faults, delays, a record of what was asked. */
export function aroundEngine(
  provider: EngineProvider,
  around: (context: EngineContext) => Around,
): EngineProvider {
  return {
    ...provider,
    async open(context) {
      const engine = await provider.open(context);
      const between = around(context);
      const wrapped = Object.entries(engine).map(([port, members]) =>
        typeof members === "object" && members !== null
          ? [port, wrap(port, members, between)]
          : [port, members],
      );
      return Object.fromEntries(wrapped) as Engine;
    },
  };
}

function wrap(port: string, members: object, between: Around): object {
  const entries = Object.entries(members).map(([member, call]) => [
    member,
    (...input: unknown[]) =>
      between(`${port}.${member}`, input, () =>
        (call as (...given: unknown[]) => Promise<unknown>)(...input),
      ),
  ]);
  return Object.fromEntries(entries);
}
