import { afterAll, beforeAll, describe } from "vitest";
import { crashCases, deathCases, doubtCases } from "../../service/cases/crash.ts";
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
  describe("kill -9 of a function instance", () => tell(platform, deathCases(platform)));
  describe("kill -9 of every function instance", () => tell(platform, crashCases(platform)));
  describe("a provider that cannot be asked", () => tell(platform, doubtCases));
});
