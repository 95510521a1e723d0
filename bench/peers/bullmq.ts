import { type BullMqPackage, type IoRedisPackage, installed } from "./bullmq-package.ts";
import { peerSettings, TURNS_AT_ONCE } from "./peer-settings.ts";
import { serveWebhooks } from "./serve-webhooks.ts";
import { takeTurn } from "./take-turn.ts";

/**
 * Messages wait in a list of their conversation; a delayed job, one per conversation at a time, takes what is
 * there when it runs. A message during a turn leaves a job behind that runs after it.
 */
const { port, windowMs, fakesUrl, redis, recoveryMs } = peerSettings();
const { Queue, Worker } = await installed<BullMqPackage>("bullmq");
const { Redis } = await installed<IoRedisPackage>("ioredis");

const QUEUE = "turns";
const REMEMBERED_SECONDS = 7 * 24 * 3_600;

const connect = () => new Redis({ path: redis, maxRetriesPerRequest: null });
const client = connect();
client.defineCommand("stage", {
  numberOfKeys: 2,
  lua: `if redis.call("SET", KEYS[1], 1, "NX", "EX", ${REMEMBERED_SECONDS}) then
    return redis.call("RPUSH", KEYS[2], ARGV[1])
  end
  return 0`,
});
const [, appendfsync] = await client.config("GET", "appendfsync");
console.log(`durability: appendfsync=${appendfsync}`);

const queue = new Queue(QUEUE, { connection: client });
const stagedKey = (from: string) => `staged:${from}`;

const worker = new Worker(
  QUEUE,
  async ({ data: { from } }) => {
    const texts = await client.lrange(stagedKey(from), 0, -1);
    if (texts.length === 0) return;
    await takeTurn(fakesUrl, from, texts);
    await client.ltrim(stagedKey(from), texts.length, -1);
  },
  {
    ...{ connection: connect(), concurrency: TURNS_AT_ONCE },
    ...{ lockDuration: recoveryMs, stalledInterval: recoveryMs },
  },
);
worker.on("error", (error) => console.error("worker", error));
worker.on("failed", (_, error) => console.error("turn failed", error));
await worker.waitUntilReady();

// Both go out together, over one connection and so in this order: a second trip would not be fair.
serveWebhooks(port, async ({ id, from, text }) => {
  await Promise.all([
    client.stage(`seen:${id}`, stagedKey(from), text),
    queue.add(
      "turn",
      { from },
      {
        delay: windowMs,
        deduplication: { id: from, keepLastIfActive: true },
        removeOnComplete: true,
      },
    ),
  ]);
});
