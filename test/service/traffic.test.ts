import { trafficCases } from "./cases/traffic.ts";
import { oneMachine } from "./one-machine.ts";
import { tell } from "./platform.ts";

tell(oneMachine, trafficCases(oneMachine));
