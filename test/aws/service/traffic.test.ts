import { afterAll, beforeAll, describe } from "vitest";
import { unavailable } from "../../../tools/aws-local/emulators.ts";
import { trafficCases } from "../../service/cases/traffic.ts";
import { tell } from "../../service/platform.ts";
import { awsPlatform, type Ground, startGround } from "./aws-platform.ts";

describe.skipIf(unavailable)("on AWS", () => {
  let ground: Ground;
  beforeAll(async () => {
    ground = await startGround();
  });
  afterAll(() => ground.stop());
  const platform = awsPlatform(() => ground);
  tell(platform, trafficCases(platform));
});
