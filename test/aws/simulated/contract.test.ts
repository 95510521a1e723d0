import { describe } from "vitest";
import { contractCases } from "../contract-cases.ts";
import { memoryWorld } from "./memory-world.ts";

describe("the AWS engine keeps the contract on tables in memory", () => contractCases(memoryWorld));

describe("the AWS engine keeps the contract on tables in memory, though every answer gets lost once", () =>
  contractCases((settings) => memoryWorld(settings, { losesAnswers: true })));

describe("the AWS engine keeps the contract on tables in memory that give two rows a page", () =>
  contractCases((settings) => memoryWorld(settings, { pageRowsMax: 2 })));
