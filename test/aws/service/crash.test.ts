import { afterAll, beforeAll, describe } from "vitest";
import { unavailable } from "../../../tools/aws-local/emulators.ts";
import { crashCases, deathCases, doubtCases } from "../../service/cases/crash.ts";
import { tell } from "../../service/platform.ts";
import { awsPlatform, type Ground, startGround } from "./aws-platform.ts";

describe.skipIf(unavailable)("on AWS", () => {
  let ground: Ground;
  beforeAll(async () => {
    ground = await startGround();
  });
  afterAll(() => ground.stop());
  const platform = awsPlatform(() => ground);
  describe("kill -9 of a function instance", () => tell(platform, deathCases(platform)));
  describe("kill -9 of every function instance", () => tell(platform, crashCases(platform)));
  describe("a provider that cannot be asked", () => tell(platform, doubtCases));
});
