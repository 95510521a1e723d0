import { load } from "../../../src/config/load.ts";
import { aws } from "../../../src/engines/aws/index.ts";
import { lambdaHandlers } from "../../../src/lambda/index.ts";

/**
 * The functions as the environment configures them, but a trigger that does not come is missed after a
 * second, not after a minute.
 */
export const { webhook, api, worker, sweeper } = lambdaHandlers(async (log) => {
  const loaded = await load({
    file: undefined,
    env: process.env,
    flags: { engine: "aws" },
    cwd: process.cwd(),
    purpose: "start",
    engines: { aws: () => aws() },
  });
  const config = loaded.config(log);
  return { ...config, limits: { ...config.limits, graceSeconds: 1 } };
});
