import { describe } from "vitest";
import { crashCases, deathCases, doubtCases } from "../../service/cases/crash.ts";
import { tell } from "../../service/platform.ts";
import { awsPlatform, describeOnFunctions } from "./aws-platform.ts";

describeOnFunctions("on AWS", (emulation) => {
  const platform = awsPlatform(emulation);
  describe("kill -9 of a function instance", () => tell(platform, deathCases(platform)));
  describe("kill -9 of every function instance", () => tell(platform, crashCases(platform)));
  describe("a provider that cannot be asked", () => tell(platform, doubtCases));
});
