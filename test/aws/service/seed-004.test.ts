import { curlCases, seedCases } from "../../service/cases/seed-004.ts";
import { throughTwilio, throughWati } from "../../service/doors.ts";
import { tell } from "../../service/platform.ts";
import { awsPlatform, describeOnFunctions } from "./aws-platform.ts";

describeOnFunctions("on AWS", (emulation) => {
  const platform = awsPlatform(emulation);
  for (const door of [throughTwilio, throughWati]) tell(platform, seedCases(platform, door));
  tell(platform, curlCases);
});
