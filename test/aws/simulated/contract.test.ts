import { describe } from "vitest";
import { contractCases } from "../contract-cases.ts";
import { memoryWorld } from "./memory-world.ts";

describe("the AWS engine keeps the contract on tables in memory", () => contractCases(memoryWorld));
