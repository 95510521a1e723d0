import { expect, it } from "vitest";
import { tablePermissions } from "../cdk/permissions.ts";
import { synthesise } from "../cdk/synthesis.ts";
import { awsFixture } from "./aws-fixture.ts";
import { contractCases } from "./contract-cases.ts";
import { describeOnEmulators } from "./describe-on-emulators.ts";
import { Requests } from "./requests.ts";

describeOnEmulators("the AWS engine keeps the contract on real endpoints over HTTP", (emulators) => {
  const requests = new Requests();
  contractCases(async (settings) => requests.of(await awsFixture(emulators, settings)));

  it("asks the tables for what the roles of the construct allow, and they allow nothing else", () => {
    const allowed = tablePermissions(synthesise(() => ({ api: true })));
    expect([...requests.seen].filter((each) => !allowed.has(each) && !(each in NOT_ON_AWS))).toEqual([]);
    expect([...allowed].filter((each) => !requests.seen.has(each) && !(each in RARE))).toEqual([]);
  });

  it("every function reads tables consistently", () => {
    expect([...requests.reads].sort()).toEqual(expect.arrayContaining(BASE_READS));
    expect([...requests.lagging]).toEqual([]);
  });

  it("never scans the state of all conversations", () => {
    expect([...requests.reads]).not.toContain("dynamodb:Scan conversations-state");
  });
});

/** Every kind of read: one that never happens could not be found lagging. */
const BASE_READS = [
  "dynamodb:BatchGetItem conversations-stage",
  "dynamodb:BatchGetItem conversations-seen",
  "dynamodb:BatchGetItem conversations-state",
  "dynamodb:BatchGetItem conversations-trigger-lock",
  "dynamodb:GetItem conversations",
  "dynamodb:GetItem conversations-messages",
  "dynamodb:GetItem conversations-seen",
  "dynamodb:GetItem conversations-stage",
  "dynamodb:GetItem conversations-state",
  "dynamodb:GetItem conversations-trigger-lock",
  "dynamodb:Query conversations",
  "dynamodb:Query conversations-messages",
  "dynamodb:Query conversations-stage",
  "dynamodb:Scan conversations-stage",
  "dynamodb:Scan conversations-trigger-lock",
];

/** Requests that a deployment does not make. */
const NOT_ON_AWS: Readonly<Record<string, string>> = {
  "sweeper dynamodb:Scan conversations-seen": "there, the table drops what is past its time",
  "sweeper dynamodb:DeleteItem conversations-seen": "there, the table drops what is past its time",
};

/** Requests that the engine may make and the contract does not bring about. */
const RARE: Readonly<Record<string, string>> = {
  // A write that was given up and arrives after its message was answered: the simulator covers it.
  "sweeper dynamodb:BatchWriteItem conversations-stage": "drops what was answered meanwhile",
  "worker dynamodb:BatchWriteItem conversations-stage": "a redelivery that slipped past DEDUPE is dropped",
  "worker dynamodb:GetItem conversations-seen":
    "whether a `failureText` was said before: the runtime says it",
  "worker dynamodb:UpdateItem conversations-trigger-lock": "a window that stands gets its trigger sooner",
  "sweeper dynamodb:Query conversations/index/by-conversation-id":
    "an orphan of a row that another system wrote",
};
