import { afterAll, beforeAll, describe } from "vitest";
import { crashCases, deathCases, doubtCases } from "../../service/cases/crash.ts";
import { tell } from "../../service/platform.ts";
import { type Emulators, startEmulators, unavailable } from "../emulators.ts";
import { awsPlatform } from "./aws-platform.ts";

describe.skipIf(unavailable)("on AWS", () => {
  let emulators: Emulators;
  beforeAll(async () => {
    emulators = await startEmulators();
  });
  afterAll(() => emulators.stop());
  const platform = awsPlatform(() => emulators);
  describe("kill -9 of a function instance", () => tell(platform, deathCases(platform)));
  describe("kill -9 of every function instance", () => tell(platform, crashCases(platform)));
  describe("a provider that cannot be asked", () => tell(platform, doubtCases));
});
