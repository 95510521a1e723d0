import { tenantCases } from "./cases/tenants.ts";
import { oneMachine } from "./one-machine.ts";
import { tell } from "./platform.ts";

tell(oneMachine, tenantCases);
