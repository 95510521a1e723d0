import { HOSTILE_CASES } from "../service/cases/hostile.ts";
import { oneMachine } from "../service/one-machine.ts";
import { tell } from "../service/platform.ts";

tell(oneMachine, HOSTILE_CASES);
