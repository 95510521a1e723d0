import { load } from "../config/load.ts";
import { aws } from "../engines/aws/index.ts";
import { lambdaHandlers } from "./index.ts";

/** The functions as the environment alone configures them: the same variables as for `lull start`. */
export const { webhook, api, worker, sweeper } = lambdaHandlers(async (log) => {
  const engine = aws();
  const loaded = await load({
    file: undefined,
    env: process.env,
    flags: { engine: "aws" },
    cwd: process.cwd(),
    purpose: "start",
    engines: { aws: () => engine },
    namedSecrets: async () => (await import("../secrets/manager/index.ts")).secretsManager(),
  });
  return { ...loaded.config(log), engine };
});
