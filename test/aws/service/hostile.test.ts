import { HOSTILE_CASES } from "../../service/cases/hostile.ts";
import { tell } from "../../service/platform.ts";
import { awsPlatform, describeOnFunctions } from "./aws-platform.ts";

describeOnFunctions("callers who prove nothing, on AWS", (emulation) =>
  tell(awsPlatform(emulation), HOSTILE_CASES),
);
