import { tenantCases } from "../../service/cases/tenants.ts";
import { tell } from "../../service/platform.ts";
import { awsPlatform, describeOnFunctions } from "./aws-platform.ts";

describeOnFunctions("on AWS", (emulation) => tell(awsPlatform(emulation), tenantCases));
