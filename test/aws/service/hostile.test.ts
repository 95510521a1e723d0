import { afterAll, beforeAll, describe } from "vitest";
import { HOSTILE_CASES } from "../../service/cases/hostile.ts";
import { tell } from "../../service/platform.ts";
import { unavailable } from "../emulators.ts";
import { awsPlatform, type Ground, startGround } from "./aws-platform.ts";

describe.skipIf(unavailable)("strangers on AWS", () => {
  let ground: Ground;
  beforeAll(async () => {
    ground = await startGround();
  });
  afterAll(() => ground.stop());
  tell(
    awsPlatform(() => ground),
    HOSTILE_CASES,
  );
});
