import { type ChildProcess, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { DynamoDBClient, type DynamoDBClientConfig, ListTablesCommand } from "@aws-sdk/client-dynamodb";
import { SQSClient } from "@aws-sdk/client-sqs";
import { startFauxqs } from "fauxqs";

const DYNOXIDE = fileURLToPath(new URL("../../node_modules/@dynoxide/linux-x64/dynoxide", import.meta.url));

/**
 * Another DynamoDB, already running: another emulator, or the real one. Credentials and region are then the
 * SDK's business.
 */
const OTHER = process.env.LULL_TEST_DYNAMODB;

/** The only DynamoDB emulator with transactions that npm brings is a program for Linux on x64. */
export const unavailable: string | undefined =
  OTHER !== undefined || existsSync(DYNOXIDE)
    ? undefined
    : `there is no DynamoDB emulator for ${process.platform}-${process.arch}: ` +
      `@dynoxide/linux-x64 is the only one`;

export interface Clients {
  readonly dynamodb: DynamoDBClient;
  readonly sqs: SQSClient;
}

/** DynamoDB and SQS on loopback ports of their own. */
export interface Emulators {
  readonly endpoint: { readonly dynamodb: string; readonly sqs: string };
  readonly dynamodb: () => DynamoDBClient;
  readonly sqs: () => SQSClient;
  /** Of a proxy in front of both. `tries` are the SDK's own, as many as it makes by default. */
  clientsAt(url: string, options?: { readonly tries?: number }): Clients;
}

export interface RunningEmulators extends Emulators {
  stop(): Promise<void>;
}

export const REGION = "eu-west-1";
const CREDENTIALS = { accessKeyId: "local", secretAccessKey: "local" };

/** Both keep what they have in memory, or in `folder`, where a next start finds it. */
export async function startEmulators({
  folder,
}: {
  readonly folder?: string;
} = {}): Promise<RunningEmulators> {
  const { url, stop } =
    OTHER === undefined ? await startDynoxide(folder) : { url: OTHER, stop: async () => {} };
  const fauxqs = await startFauxqs({
    port: 0,
    logger: false,
    ...(folder !== undefined && { dataDir: folder }),
  });
  const endpoint = { dynamodb: url, sqs: `http://127.0.0.1:${fauxqs.port}` };
  const common = { region: REGION, credentials: CREDENTIALS };
  const dynamodbAt = (at: string, more = {}) =>
    new DynamoDBClient({ ...(OTHER === undefined && common), endpoint: at, ...more });
  const sqsAt = (at: string, more = {}) =>
    new SQSClient({ ...common, endpoint: at, useQueueUrlAsEndpoint: false, ...more });
  const dynamodb = () => dynamodbAt(endpoint.dynamodb);
  await answering(dynamodb());
  return {
    endpoint,
    dynamodb,
    sqs: () => sqsAt(endpoint.sqs),
    clientsAt(at, { tries = 3 } = {}) {
      const retryStrategy = atOnce(tries);
      return { dynamodb: dynamodbAt(at, { retryStrategy }), sqs: sqsAt(at, { retryStrategy }) };
    },
    async stop() {
      await Promise.all([stop(), fauxqs.stop()]);
    },
  };
}

/**
 * The SDK's own retries, of the errors that it takes for passing, without its waits: those are in real time.
 */
function atOnce(tries: number): NonNullable<DynamoDBClientConfig["retryStrategy"]> {
  const token = (count: number) => ({ getRetryCount: () => count, getRetryDelay: () => 0 });
  return {
    acquireInitialRetryToken: async () => token(0),
    async refreshRetryTokenForRetry(before, { errorType }) {
      const isPassing = errorType === "TRANSIENT" || errorType === "THROTTLING";
      if (!isPassing || before.getRetryCount() + 1 >= tries) throw new Error("no more tries");
      return token(before.getRetryCount() + 1);
    },
    recordSuccess() {},
  };
}

/** Reads from its parent until that is gone, however it ended; then it ends the program that it runs. */
const GUARD = '"$@" & cat; kill $!; wait $!';

async function startDynoxide(
  folder: string | undefined,
): Promise<{ url: string; stop: () => Promise<void> }> {
  const port = await freePort();
  const where = folder === undefined ? [] : ["--db-path", join(folder, "dynamodb.db")];
  const guard = spawn("sh", ["-c", GUARD, "guard", DYNOXIDE, "--port", String(port), ...where], {
    stdio: ["pipe", "ignore", "ignore"],
    // A Ctrl-C in the terminal is for the process that started us: it may need the emulators to finish.
    detached: true,
  });
  return { url: `http://127.0.0.1:${port}`, stop: () => ended(guard) };
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.on("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => resolve(typeof address === "object" && address ? address.port : 0));
    });
  });
}

/** Tried until it answers; each refused connection triggers the next try, without a wait. */
async function answering(client: DynamoDBClient): Promise<void> {
  for (let tries = 0; ; tries += 1) {
    try {
      await client.send(new ListTablesCommand({}));
      client.destroy();
      return;
    } catch (error) {
      if (tries >= 50) throw error;
    }
  }
}

function ended(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    child.once("exit", () => resolve());
    child.stdin?.end();
  });
}
