import { ListTablesCommand } from "@aws-sdk/client-dynamodb";
import { afterEach, describe, expect, it, vi } from "vitest";
import { silentPeer } from "../../testing/bad-peer.ts";
import { dynamoDbClient, resourcesFrom } from "./options.ts";

describe("where the engine finds its tables and queues", () => {
  it("has the original system's names by default", () => {
    const { tables, waitSeconds, forget } = resourcesFrom({}, {});
    expect(tables).toEqual({
      conversations: "conversations",
      stage: "conversations-stage",
      triggerLock: "conversations-trigger-lock",
      state: "conversations-state",
      messages: "conversations-messages",
      seen: "conversations-seen",
    });
    expect([waitSeconds, forget]).toEqual([20, "table"]);
  });

  it("is set by the environment, and before that by the options", () => {
    const env = {
      LULL_TABLE_STAGE: "staging",
      LULL_TABLE_STATE: "state-of-prod",
      LULL_QUEUE_WHATSAPP: "https://sqs/whatsapp",
      LULL_QUEUE_MY_CHANNEL: "https://sqs/mine",
      LULL_QUEUE_EMPTY: "",
      LULL_QUEUE: "not a queue of a channel",
    };
    const options = {
      tablePrefix: "prod-",
      tables: { state: "mine" },
      queues: { whatsapp: "https://sqs/other" },
    };
    const { tables, queues } = resourcesFrom(options, env);
    expect([tables.stage, tables.state, tables.seen]).toEqual(["staging", "mine", "prod-conversations-seen"]);
    expect(queues).toEqual({ whatsapp: "https://sqs/other", "my-channel": "https://sqs/mine" });
  });

  it("never waits longer for a trigger than a queue allows", () => {
    expect(resourcesFrom({ waitSeconds: 60 }, {}).waitSeconds).toBe(20);
    expect(resourcesFrom({ waitSeconds: 0 }, {}).waitSeconds).toBe(0);
  });
});

describe("the partitions of the index over leases", () => {
  it.each([
    [{}, {}, 4],
    [{}, { LULL_LEASE_SHARDS: "" }, 4],
    [{}, { LULL_LEASE_SHARDS: "64" }, 64],
    [{ leaseShards: 4 }, { LULL_LEASE_SHARDS: "64" }, 4],
  ])("of %o and %o are %o", (options, env, expected) => {
    expect(resourcesFrom(options, env).leaseShards).toBe(expected);
  });

  it.each(["3", "65", "4.5", "many"])("are not %s", (LULL_LEASE_SHARDS) => {
    expect(() => resourcesFrom({}, { LULL_LEASE_SHARDS })).toThrow(
      `must be a whole number from 4 to 64, not ${Number(LULL_LEASE_SHARDS)}`,
    );
  });
});

describe("a client of ours, used without a deadline", () => {
  afterEach(() => vi.unstubAllEnvs());

  it("gives up on a peer that says nothing", async () => {
    for (const name of ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"]) vi.stubEnv(name, "local");
    vi.stubEnv("AWS_MAX_ATTEMPTS", "1");
    const peer = await silentPeer();
    const client = dynamoDbClient({ region: "eu-west-1", endpoint: peer.url });
    await expect(client.send(new ListTablesCommand())).rejects.toMatchObject({ name: "TimeoutError" });
    client.destroy();
    await peer.left();
    await peer.close();
  }, 20_000);
});
