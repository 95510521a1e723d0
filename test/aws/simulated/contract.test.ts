import { describe } from "vitest";
import { contractCases } from "../contract-cases.ts";
import { memoryFixture } from "./memory-fixture.ts";

describe("the AWS engine keeps the contract on tables in memory", () => contractCases(memoryFixture));

describe("the AWS engine keeps the contract on tables in memory, though every answer gets lost once", () =>
  contractCases((settings) => memoryFixture(settings, { losesAnswers: true })));

describe("the AWS engine keeps the contract on tables in memory that give two rows a page", () =>
  contractCases((settings) => memoryFixture(settings, { pageRowsMax: 2 })));
