import { trafficCases } from "../../service/cases/traffic.ts";
import { tell } from "../../service/platform.ts";
import { awsPlatform, describeOnFunctions } from "./aws-platform.ts";

describeOnFunctions("on AWS", (emulation) => {
  const platform = awsPlatform(emulation);
  tell(platform, trafficCases(platform));
});
