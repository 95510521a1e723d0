import { seedCases } from "./cases/seed-004.ts";
import { oneMachine } from "./one-machine.ts";
import { tell } from "./platform.ts";

tell(oneMachine, seedCases(oneMachine));
