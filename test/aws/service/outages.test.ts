import { outageCases } from "../../service/cases/outages.ts";
import { tell } from "../../service/platform.ts";
import { awsPlatform, describeOnFunctions } from "./aws-platform.ts";

describeOnFunctions("on AWS", (emulation) => {
  const platform = awsPlatform(emulation);
  tell(platform, outageCases);
});
