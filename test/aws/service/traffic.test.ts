import { trafficCases } from "../../service/cases/traffic.ts";
import { tell } from "../../service/platform.ts";
import { awsPlatform, describeOnFunctions } from "./aws-platform.ts";

describeOnFunctions("on AWS", (ground) => {
  const platform = awsPlatform(ground);
  tell(platform, trafficCases(platform));
});
