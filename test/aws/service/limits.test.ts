import { afterAll, beforeAll, describe } from "vitest";
import { limitCases } from "../../service/cases/limits.ts";
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
  tell(platform, limitCases(platform));
});
