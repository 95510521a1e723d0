import { curlCases, seedCases } from "./cases/seed-004.ts";
import { throughTwilio, throughWati } from "./doors.ts";
import { oneMachine } from "./one-machine.ts";
import { tell } from "./platform.ts";

for (const door of [throughTwilio, throughWati]) tell(oneMachine, seedCases(oneMachine, door));
tell(oneMachine, curlCases);
