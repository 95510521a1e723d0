import { describe } from "vitest";
import { outageCases } from "./cases/outages.ts";
import { oneMachine } from "./one-machine.ts";
import { tell } from "./platform.ts";

describe("while a service outside is away", () => tell(oneMachine, outageCases));
