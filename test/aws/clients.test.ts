import { ListTablesCommand } from "@aws-sdk/client-dynamodb";
import { afterEach, describe, expect, it, vi } from "vitest";
import { dynamoDbClient } from "../../src/engines/aws/options.ts";
import { silentPeer } from "../../src/testing/bad-peer.ts";

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
