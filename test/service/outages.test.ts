import { describe } from "vitest";
import { outageCases } from "./cases/outages.ts";
import { oneMachine } from "./one-machine.ts";
import { tell } from "./platform.ts";

describe("while somebody outside is away", () => tell(oneMachine, outageCases));
