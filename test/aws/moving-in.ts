import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CreateTableCommand, type DynamoDBClient, PutItemCommand } from "@aws-sdk/client-dynamodb";
import { marshall } from "@aws-sdk/util-dynamodb";
import { afterEach, beforeEach, vi } from "vitest";
import { type AwsResources, awsResources } from "../../tools/aws-local/aws-resources.ts";
import type { Emulators } from "../../tools/aws-local/emulators.ts";
import { typed } from "../typed-command.ts";

export const ACCOUNT = `AC${"0".repeat(32)}`;
/** The time of rows that are no longer young. */
export const LONG_AGO = 1_767_225_600;

const CHANNEL = {
  TWILIO_ACCOUNT_SID: ACCOUNT,
  TWILIO_AUTH_TOKEN: "token",
  TWILIO_WHATSAPP_FROM: "+15550100",
};

/** Tables for each test, a folder, and the command line there with a channel of Twilio's, and more. */
export function movingIn(emulators: Emulators, more: Readonly<Record<string, string>> = {}) {
  let at: AwsResources;
  let cwd: string;
  let dynamodb: DynamoDBClient;
  const env = () => ({ ...at.env, ...CHANNEL, ...more });
  beforeEach(async () => {
    cwd = await mkdtemp(join(tmpdir(), "lull-aws-"));
    at = await awsResources(emulators);
    dynamodb = emulators.dynamodb();
    for (const [name, value] of Object.entries(env())) vi.stubEnv(name, value);
  });
  afterEach(async () => {
    vi.unstubAllEnvs();
    dynamodb.destroy();
    await rm(cwd, { recursive: true, force: true });
  });

  async function lull(...args: string[]) {
    const { code, out, err } = await typed(args, { cwd, env: env() });
    const json = args.includes("--json") && out !== "" ? JSON.parse(out) : undefined;
    return { code, out, json, stderr: err };
  }

  async function put(table: string, row: Record<string, unknown>): Promise<void> {
    const Item = marshall(row, { removeUndefinedValues: true });
    await dynamodb.send(new PutItemCommand({ TableName: `${at.prefix}${table}`, Item }));
  }

  /** Without an index of Lull's, as the other system made it. */
  async function createSeedTable(
    name: string,
    sort?: { readonly key: string; readonly type?: "S" | "N" },
  ): Promise<void> {
    const keys = [{ key: "conversation_id" }, ...(sort ? [sort] : [])].map((each) => ({
      type: "S",
      ...each,
    }));
    const definitions = keys.map(({ key, type }) => ({
      AttributeName: key,
      AttributeType: type as "S" | "N",
    }));
    const schema = keys.map(({ key }, n) => ({
      AttributeName: key,
      KeyType: n === 0 ? ("HASH" as const) : ("RANGE" as const),
    }));
    const table = { TableName: `${at.prefix}${name}`, BillingMode: "PAY_PER_REQUEST" as const };
    await dynamodb.send(
      new CreateTableCommand({ ...table, AttributeDefinitions: definitions, KeySchema: schema }),
    );
  }

  return {
    get at() {
      return at;
    },
    get cwd() {
      return cwd;
    },
    get dynamodb() {
      return dynamodb;
    },
    lull,
    put,
    createSeedTable,
  };
}
