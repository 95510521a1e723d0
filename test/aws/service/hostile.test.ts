import { afterAll, beforeAll, describe } from "vitest";
import { HOSTILE_CASES } from "../../service/cases/hostile.ts";
import { tell } from "../../service/platform.ts";
import { unavailable } from "../emulators.ts";
import { type AwsEmulation, awsPlatform, startAwsEmulation } from "./aws-platform.ts";

describe.skipIf(unavailable)("strangers on AWS", () => {
  let emulation: AwsEmulation;
  beforeAll(async () => {
    emulation = await startAwsEmulation();
  });
  afterAll(() => emulation.stop());
  tell(
    awsPlatform(() => emulation),
    HOSTILE_CASES,
  );
});
