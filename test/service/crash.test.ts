import { describe } from "vitest";
import { crashCases, deathCases, doubtCases } from "./cases/crash.ts";
import { oneMachine } from "./one-machine.ts";
import { tell } from "./platform.ts";

describe("kill -9 of one worker under a running parent", () => tell(oneMachine, deathCases(oneMachine)));
describe("kill -9 of everything", () => tell(oneMachine, crashCases(oneMachine)));
describe("a provider that cannot be asked", () => tell(oneMachine, doubtCases));
