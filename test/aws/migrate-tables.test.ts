import { execFile } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
import {
  CreateTableCommand,
  type CreateTableCommandInput,
  DeleteTableCommand,
  DescribeTableCommand,
  DescribeTimeToLiveCommand,
  UpdateTableCommand,
  type UpdateTableCommandInput,
  UpdateTimeToLiveCommand,
  type UpdateTimeToLiveCommandInput,
} from "@aws-sdk/client-dynamodb";
import { expect, it, vi } from "vitest";
import { TABLES } from "../../src/engines/aws/index.ts";
import type { Lacking } from "../../src/ports/seed-tables.ts";
import { REGION } from "../../tools/aws-local/emulators.ts";
import { describeOnEmulators } from "./describe-on-emulators.ts";
import { LONG_AGO, movingIn } from "./moving-in.ts";

/** What the AWS CLI is called with is written down; an index that is asked about is ready. */
const PRETENDED_AWS = `#!/bin/sh
printf '%s\\0' "$@" >> "$CALLS"
printf '\\n\\0' >> "$CALLS"
[ "$2" = describe-table ] && echo ACTIVE
exit 0
`;

describeOnEmulators("the tables of lull migrate seed-aws", (emulators) => {
  const on = movingIn(emulators);
  const { put } = on;
  const migrate = (...args: string[]) => on.lull("migrate", "seed-aws", ...args);

  async function waiting(): Promise<void> {
    const key = { primary_channel: "+15550111", conversation_id: "conv-1" };
    await put("conversations", { ...key, task_complete: 0, channel_type: "whatsapp", address: "+15550100" });
    const message = { ...key, message_sid: `SM${"1".repeat(32)}`, body: "one", received_at: LONG_AGO };
    await put("conversations-stage", message);
  }

  const isThere = (TableName: string) =>
    on.dynamodb.send(new DescribeTableCommand({ TableName })).then(
      () => true,
      () => false,
    );

  it("that were named and are not there are said, and nothing is moved without them", async () => {
    await waiting();
    for (const option of ["stage-table", "lock-table", "holding-table", "batch-state-table"]) {
      const shown = await migrate(`--${option}`, "typo");
      expect(shown).toMatchObject({ code: 0 });
      expect(shown.out).toContain(`there is no table typo (--${option}) in ${REGION}`);
    }
    const refused = await migrate("--holding-table", "typo", "--apply", "--create");
    expect(refused).toMatchObject({ code: 1, out: expect.stringContaining("Nothing was moved.") });
    expect(refused.out).toContain("there is no table typo (--holding-table)");
    expect((await migrate("--json")).json.messages).toMatchObject({ found: 1 });
  });

  it("of staged messages and of conversations have to be there: a mistyped name makes none", async () => {
    await waiting();
    const [stage, conversations] = [`${on.at.prefix}stag`, `${on.at.prefix}conversation`];
    vi.stubEnv("LULL_TABLE_STAGE", stage);
    const shown = await migrate();
    expect(shown.out).toContain(`there is no table of staged messages in ${REGION}: neither ${stage} nor`);
    expect(shown.out).toContain(`${stage} is missing (its name is LULL_TABLE_STAGE)`);
    expect(await migrate("--apply", "--create")).toMatchObject({ code: 1 });
    vi.stubEnv("LULL_TABLE_STAGE", `${on.at.prefix}conversations-stage`);
    vi.stubEnv("LULL_TABLE_CONVERSATIONS", conversations);
    const without = await migrate();
    expect(without).toMatchObject({ code: 0, stderr: "" });
    expect(without.out).toContain(`there is no table ${conversations} in ${REGION}, and --create makes none`);
    expect(without.out).not.toMatch(/create-table .*"TableName":"[^"]*conversation"/);
    expect(await migrate("--apply", "--create")).toMatchObject({ code: 1 });
    expect(await Promise.all([stage, conversations].map(isThere))).toEqual([false, false]);
  });

  it("are looked at without a queue; what is moved needs one, and that is said", async () => {
    await waiting();
    for (const name of Object.keys(on.at.env)) if (name.startsWith("LULL_QUEUE_")) vi.stubEnv(name, "");
    const shown = await migrate("--json");
    expect(shown).toMatchObject({ code: 0, json: { messages: { moved: 1 } } });
    expect(shown.json.needs).toEqual([expect.stringMatching(/^--apply needs a queue: .*LULL_QUEUE_DEFAULT/)]);
    const refused = await migrate("--apply", "--create");
    expect(refused).toMatchObject({ code: 1, out: expect.stringContaining("--apply needs a queue: ") });
    expect((await migrate("--json")).json.messages).toMatchObject({ found: 1 });
  });

  it("that cannot be asked about are one line, with what to look at", async () => {
    vi.stubEnv("AWS_ENDPOINT_URL_DYNAMODB", "http://127.0.0.1:1");
    expect((await migrate()).stderr).toMatch(
      /^lull: table \S+: cannot be reached \(ECONNREFUSED\): .*AWS_REGION.*\n$/,
    );
    vi.stubEnv("AWS_REGION", undefined);
    expect((await migrate()).stderr).toMatch(/^lull: no AWS region: set AWS_REGION or [^\n]*\n$/);
    vi.stubEnv("AWS_REGION", REGION);
    vi.stubEnv("AWS_ACCESS_KEY_ID", undefined);
    expect((await migrate()).stderr).toMatch(
      /^lull: AWS does not let us use [^\n]*: check credentials[^\n]*\n$/,
    );
  });

  /** What a shell makes of the commands that were shown. */
  async function pasted(lacks: readonly Lacking[]): Promise<string[][]> {
    const calls = join(on.cwd, "calls");
    await writeFile(join(on.cwd, "aws"), PRETENDED_AWS, { mode: 0o755 });
    return ranIn(lacks.map(({ command }) => command).join("\n"), calls);
  }

  async function ranIn(script: string, calls: string): Promise<string[][]> {
    const env = { PATH: [on.cwd, process.env.PATH].join(delimiter), CALLS: calls };
    await promisify(execFile)("sh", ["-eu", "-c", script], { env });
    const words = (await readFile(calls, "utf8")).split("\0\n\0").filter(Boolean);
    return words.map((call) => call.split("\0"));
  }

  /** Does what the AWS CLI would have done. */
  async function carriedOut(calls: readonly string[][]): Promise<void> {
    for (const [, action, ...rest] of calls) {
      const input =
        rest.includes("--cli-input-json") && JSON.parse(rest[rest.indexOf("--cli-input-json") + 1]!);
      if (action === "create-table")
        await on.dynamodb.send(new CreateTableCommand(input as CreateTableCommandInput));
      if (action === "update-table")
        await on.dynamodb.send(new UpdateTableCommand(input as UpdateTableCommandInput));
      if (action === "update-time-to-live")
        await on.dynamodb.send(new UpdateTimeToLiveCommand(input as UpdateTimeToLiveCommandInput));
    }
  }

  /** All that matters of the engine's tables. */
  async function tables() {
    const found = Object.values(TABLES).map(async ({ name, env }) => {
      const TableName = process.env[env];
      const { Table = {} } = await on.dynamodb.send(new DescribeTableCommand({ TableName }));
      const { TimeToLiveDescription: expiry } = await on.dynamodb.send(
        new DescribeTimeToLiveCommand({ TableName }),
      );
      const { AttributeDefinitions = [], KeySchema, GlobalSecondaryIndexes = [] } = Table;
      const indexes = GlobalSecondaryIndexes.map(({ IndexName, KeySchema: key, Projection }) => ({
        IndexName,
        key,
        carries: [Projection?.ProjectionType, ...(Projection?.NonKeyAttributes ?? [])].sort(),
      })).sort((a, b) => (String(a.IndexName) < String(b.IndexName) ? -1 : 1));
      const attributes = AttributeDefinitions.map(
        (each) => `${each.AttributeName} ${each.AttributeType}`,
      ).sort();
      const expires = expiry?.TimeToLiveStatus === "ENABLED" ? expiry.AttributeName : undefined;
      return { name, attributes, KeySchema, indexes, expires };
    });
    return Promise.all(found);
  }

  /** Tables as the original system has them: no index, its own expiry, none of those that only Lull has. */
  async function asTheSeedsHaveThem(): Promise<void> {
    const variables = Object.values(TABLES).map(({ env }) => env);
    for (const env of variables)
      await on.dynamodb.send(new DeleteTableCommand({ TableName: process.env[env] }));
    for (const { env, partitionKey, sortKey } of [TABLES.conversations, TABLES.stage, TABLES.triggerLock]) {
      const keys = sortKey ? [partitionKey, sortKey] : [partitionKey];
      const TableName = process.env[env];
      await on.dynamodb.send(
        new CreateTableCommand({
          TableName,
          BillingMode: "PAY_PER_REQUEST",
          AttributeDefinitions: keys.map(({ name, type }) => ({ AttributeName: name, AttributeType: type })),
          KeySchema: keys.map(({ name }, n) => ({
            AttributeName: name,
            KeyType: n === 0 ? "HASH" : "RANGE",
          })),
        }),
      );
    }
    const TimeToLiveSpecification = { Enabled: true, AttributeName: "expires_at" };
    const TableName = process.env.LULL_TABLE_STAGE;
    await on.dynamodb.send(new UpdateTimeToLiveCommand({ TableName, TimeToLiveSpecification }));
  }

  it("are the same by the commands that are shown, pasted as they are, and by --create", async () => {
    const wanted = await tables();
    await asTheSeedsHaveThem();
    const { json } = await migrate("--json");
    const calls = await pasted(json.lacks);
    for (const call of calls) expect(call.join(" ")).toContain(`--region ${REGION}`);
    await carriedOut(calls);
    expect(await tables()).toEqual(wanted);
    expect((await migrate("--json")).json.lacks).toEqual([]);

    await asTheSeedsHaveThem();
    const made = await migrate("--apply", "--create", "--json");
    expect(made, made.stderr).toMatchObject({ code: 0, json: { lacks: [], made: json.lacks } });
    expect(await tables()).toEqual(wanted);
  });

  it("are added by what is printed, comments and all; each new table is waited for", async () => {
    await asTheSeedsHaveThem();
    const { json } = await migrate("--json");
    const { out } = await migrate();
    const from = out.indexOf("\n# ");
    const script = out.slice(from, out.indexOf("\n\n", from + 1));
    await writeFile(join(on.cwd, "aws"), PRETENDED_AWS, { mode: 0o755 });
    const calls = await ranIn(script, join(on.cwd, "printed"));
    expect(calls).toEqual(await pasted(json.lacks));
    const actions = calls.map(([, action]) => action);
    for (const [n, action] of actions.entries())
      if (action === "create-table") expect(actions[n + 1]).toBe("wait");
    const made = await migrate("--apply", "--create");
    expect(made.out).toContain(`added: index listed of ${process.env.LULL_TABLE_CONVERSATIONS}`);
    expect(made.out).toContain(`switched off: expiry of ${process.env.LULL_TABLE_STAGE}`);
    expect(made.out).toContain(`added: table ${process.env.LULL_TABLE_STATE}`);
  });

  it("get one index after the other: each is waited for before the next is asked for", async () => {
    await asTheSeedsHaveThem();
    const { json } = await migrate("--json");
    const ofConversations = json.lacks.filter(
      ({ table }: Lacking) => table === process.env.LULL_TABLE_CONVERSATIONS,
    );
    const calls = await pasted(ofConversations);
    expect(calls.map(([, action]) => action)).toEqual(
      Array.from({ length: 3 }, () => ["update-table", "describe-table"]).flat(),
    );
    const queries = calls.filter(([, action]) => action === "describe-table").map((call) => call.join(" "));
    for (const [n, { name }] of TABLES.conversations.indexes!.entries())
      expect(queries[n]).toContain(`[?IndexName=='${name}'].IndexStatus`);
  });

  it("whose capacity is bought get indexes with as much", async () => {
    await asTheSeedsHaveThem();
    const TableName = process.env.LULL_TABLE_CONVERSATIONS;
    const ProvisionedThroughput = { ReadCapacityUnits: 7, WriteCapacityUnits: 3 };
    await on.dynamodb.send(
      new UpdateTableCommand({ TableName, BillingMode: "PROVISIONED", ProvisionedThroughput }),
    );
    const { json } = await migrate("--json");
    const calls = (await pasted(json.lacks)).filter(([, action]) => action === "update-table");
    expect(calls).toHaveLength(3);
    for (const call of calls) expect(call.join(" ")).toContain(JSON.stringify(ProvisionedThroughput));
  });
});
