import { afterAll, beforeAll, describe } from "vitest";
import { unavailable } from "../../../tools/aws-local/emulators.ts";
import { HOSTILE_CASES } from "../../service/cases/hostile.ts";
import { tell } from "../../service/platform.ts";
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
