import { afterAll, beforeAll, describe } from "vitest";
import { trafficCases } from "../../service/cases/traffic.ts";
import { tell } from "../../service/platform.ts";
import { unavailable } from "../emulators.ts";
import { type AwsEmulation, awsPlatform, startAwsEmulation } from "./aws-platform.ts";

describe.skipIf(unavailable)("on AWS", () => {
  let emulation: AwsEmulation;
  beforeAll(async () => {
    emulation = await startAwsEmulation();
  });
  afterAll(() => emulation.stop());
  const platform = awsPlatform(() => emulation);
  tell(platform, trafficCases(platform));
});
