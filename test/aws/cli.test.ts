import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PutItemCommand, UpdateTimeToLiveCommand } from "@aws-sdk/client-dynamodb";
import { CreateQueueCommand, GetQueueAttributesCommand, SendMessageCommand } from "@aws-sdk/client-sqs";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { systemClock } from "../../src/runtime/system-clock.ts";
import { type AwsResources, awsResources } from "../../tools/aws-local/aws-resources.ts";
import type { Emulators } from "../../tools/aws-local/emulators.ts";
import { eventually } from "../lull-process.ts";
import { type Surroundings, surroundings } from "../service/surroundings.ts";
import { typed } from "../typed-command.ts";
import { describeOnEmulators } from "./describe-on-emulators.ts";

interface CheckResult {
  readonly check: string;
  readonly verdict: string;
  readonly detail: string;
}

/** Commands that run here, on tables and queues of their own. */
function commandsOn(emulators: Emulators) {
  let resources: AwsResources;
  let cwd: string;
  beforeEach(async () => {
    cwd = await mkdtemp(join(tmpdir(), "lull-aws-"));
    resources = await awsResources(emulators);
    // Commands run in this process: the SDK looks for its variables here.
    for (const [name, value] of Object.entries(resources.env)) vi.stubEnv(name, value);
  });
  afterEach(async () => {
    vi.unstubAllEnvs();
    await rm(cwd, { recursive: true, force: true });
  });

  async function lull(args: readonly string[], env: Record<string, string> = {}) {
    for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
    const given = { cwd, env: { ...resources.env, ...env } };
    const { code, out, err } = await typed([...args, "--json"], given);
    return { code, json: out === "" ? undefined : JSON.parse(out), stderr: err };
  }

  return {
    lull,
    get resources() {
      return resources;
    },
    get cwd() {
      return cwd;
    },
  };
}

describeOnEmulators("the commands on AWS, without a service:", (emulators) => {
  const at = commandsOn(emulators);
  const { lull } = at;

  it("create, list, show, change and erase conversations without a service, and make no file", async () => {
    const create = ["conversations", "create", "--channel", "web", "--sender", "visitor-one"];
    const created = await lull(create);
    expect(created).toMatchObject({
      code: 0,
      json: { created: true, conversation: { sender: "visitor-one" } },
    });
    const { id } = created.json.conversation;
    expect((await lull(create)).json).toMatchObject({ created: false, conversation: { id } });
    expect((await lull(["conversations", "list"])).json.items).toMatchObject([{ id }]);
    expect((await lull(["conversations", "pause", id])).json).toMatchObject({ id, paused: true });
    expect((await lull(["conversations", "resume", id])).json).toMatchObject({ id, paused: false });
    expect((await lull(["conversations", "hand-off", id, "--reason", "angry"])).json).toMatchObject({
      handed_off: true,
    });
    expect((await lull(["conversations", "show", id])).json).toMatchObject({
      conversation: { id, handed_off: true, hand_off_reason: "angry" },
    });
    expect((await lull(["conversations", "hand-back", id])).json).toMatchObject({ handed_off: false });
    expect((await lull(["conversations", "close", id])).json).toMatchObject({ task_complete: true });
    expect((await lull(["conversations", "list", "--active"])).json.items).toEqual([]);
    expect((await lull(["conversations", "erase", id, "--yes"])).json).toEqual({ id, result: "erased" });
    expect(await lull(["conversations", "show", id])).toEqual({
      code: 1,
      json: undefined,
      stderr: `lull: there is no conversation ${id}\n`,
    });
    for (const empty of ["locks", "dead", "unknown"])
      expect((await lull([empty])).json).toEqual({ items: [] });
    expect(await readdir(at.cwd)).toEqual([]);
  });

  it("by a flag as by the environment; config tells the engine and its own defaults", async () => {
    const { json } = await lull(["config", "--engine", "aws"], { LULL_ENGINE: "" });
    expect(json.values).toMatchObject({
      engine: { value: "aws", from: "--engine" },
      "limits.sweepSeconds": { value: 60, from: "default" },
      "limits.batchMessagesMax": { value: 30, from: "default" },
    });
    expect((await lull(["locks", "--engine", "aws"], { LULL_ENGINE: "" })).json).toEqual({ items: [] });
  });

  it("backup says that DynamoDB has its own", async () => {
    const { code, stderr } = await lull(["backup", "copies/one.db"]);
    expect(code).toBe(1);
    expect(stderr).toMatch(/^lull: DynamoDB has backups of its own: .*point-in-time recovery/);
    expect(await readdir(at.cwd)).toEqual([]);
  });

  it("dead redrive puts back what a queue gave up, and leaves what no worker can read", async () => {
    const url = at.resources.queues.default!;
    const [sqs, dead] = [emulators.sqs(), `${url}-dead`];
    const inQueue = async (QueueUrl: string) => {
      const AttributeNames = ["All" as const];
      const { Attributes } = await sqs.send(new GetQueueAttributesCommand({ QueueUrl, AttributeNames }));
      const { ApproximateNumberOfMessages: seen, ApproximateNumberOfMessagesNotVisible: hidden } = {
        ...Attributes,
      };
      return [Number(seen), Number(hidden)];
    };
    expect(await lull(["dead", "redrive"])).toMatchObject({ code: 0 });
    const bodies = Array.from({ length: 23 }, (_, n) => JSON.stringify({ conversation_id: `c${n}` }));
    for (const MessageBody of [...bodies, "not a trigger"])
      await sqs.send(new SendMessageCommand({ QueueUrl: dead, MessageBody }));
    const { code, json } = await lull(["dead", "redrive"]);
    expect([code, json]).toEqual([1, { queues: [{ channel: "default", moved: 23, left: 1 }] }]);
    expect([await inQueue(url), await inQueue(dead)]).toEqual([
      [23, 0],
      [0, 1],
    ]);
    sqs.destroy();
    const here = await lull(["dead", "redrive"], { LULL_ENGINE: "sqlite", LULL_DB: join(at.cwd, "no.db") });
    expect(here.code).toBe(1);
  });
});

describeOnEmulators("doctor on AWS", (emulators) => {
  const at = commandsOn(emulators);
  const { lull } = at;

  async function examine(env: Record<string, string> = {}) {
    const { code, json, stderr } = await lull(["doctor", "--offline"], env);
    expect(stderr).not.toContain(" at ");
    return { code, findings: json.findings as CheckResult[] };
  }
  const found = (findings: readonly CheckResult[], check: string) =>
    findings.find((each) => each.check === check);

  it("looks at access, tables, queues and clock, and at no disk", async () => {
    const { code, findings } = await examine();
    expect(code).toBe(0);
    const verdicts = findings.map(({ check, verdict }) => `${verdict} ${check}`);
    expect(verdicts).toEqual(
      expect.arrayContaining(["ok AWS access", "ok tables", "ok queues", "ok store", "ok clock"]),
    );
    expect(verdicts.join()).not.toMatch(/disk|database/);
  });

  it("shows rows that are not ours; quarantine lists them, and discards them", async () => {
    const dynamodb = emulators.dynamodb();
    const Item = { conversation_id: { S: "theirs" }, expires_at: { N: "1" } };
    await dynamodb.send(
      new PutItemCommand({ TableName: `${at.resources.prefix}conversations-trigger-lock`, Item }),
    );
    dynamodb.destroy();
    expect(found((await examine()).findings, "quarantine")).toMatchObject({
      verdict: "warn",
      detail: expect.stringMatching(/^1 row was not ours: .*lull migrate seed-aws/),
    });
    const [row] = (await lull(["quarantine"])).json.items;
    expect(row).toMatchObject({ table: "conversations-trigger-lock", key: "theirs" });
    expect((await lull(["quarantine", "discard", row.id])).code).toBe(0);
    expect(found((await examine()).findings, "quarantine")).toBeUndefined();
  });

  it("names a missing table and a missing queue", async () => {
    const { code, findings } = await examine({
      LULL_TABLE_SEEN: "nowhere",
      LULL_QUEUE_SMS: `${at.resources.queues.default}-gone`,
    });
    expect(code).toBe(1);
    for (const check of ["table nowhere", "queue of channel sms"])
      expect(found(findings, check)).toMatchObject({
        verdict: "fail",
        detail: expect.stringContaining("does not exist"),
      });
  });

  it("finds what a deployment of another hand may have got wrong", async () => {
    const [dynamodb, sqs] = [emulators.dynamodb(), emulators.sqs()];
    const stage = `${at.resources.prefix}conversations-stage`;
    await dynamodb.send(
      new UpdateTimeToLiveCommand({
        TableName: stage,
        TimeToLiveSpecification: { Enabled: true, AttributeName: "expires_at" },
      }),
    );
    const hasty = await sqs.send(
      new CreateQueueCommand({
        QueueName: `${at.resources.prefix}hasty`,
        Attributes: { VisibilityTimeout: "1" },
      }),
    );
    const { code, findings } = await examine({
      LULL_QUEUE_SMS: hasty.QueueUrl!,
      // Keyed by one attribute only, and without an index.
      LULL_TABLE_MESSAGES: `${at.resources.prefix}conversations-seen`,
    });
    expect(code).toBe(1);
    expect(found(findings, `table ${stage}`)).toMatchObject({
      verdict: "fail",
      detail: expect.stringContaining("TTL"),
    });
    const wrong = findings.filter(({ check }) => check === `table ${at.resources.prefix}conversations-seen`);
    expect(wrong.map(({ detail }) => detail)).toEqual([
      "has the key id (S) instead of conversation_id (S), item_id (S)",
      "lacks the index listed",
    ]);
    const warnings = findings.filter(({ check }) => check === "queue of channel sms");
    expect(warnings.map(({ verdict }) => verdict)).toEqual(["warn", "warn"]);
    dynamodb.destroy();
    sqs.destroy();
  });

  it("tells wrong credentials once", async () => {
    const { code, findings } = await examine({ AWS_ACCESS_KEY_ID: "", AWS_SECRET_ACCESS_KEY: "" });
    expect(code).toBe(1);
    const failed = findings.filter(({ verdict }) => verdict === "fail");
    expect(failed).toMatchObject([{ check: "AWS access", detail: expect.stringContaining("credentials") }]);
  });
});

describeOnEmulators("the commands on AWS, beside a running service:", (emulators) => {
  const at = commandsOn(emulators);
  const { lull } = at;

  let service: Surroundings;
  beforeEach(async () => {
    service = await surroundings({
      ...at.resources.env,
      LULL_WEB: "1",
      LULL_WINDOW_SECONDS: "0.5",
      LULL_ATTEMPTS_MAX: "1",
    });
  });
  afterEach(() => service.end());
  const beside = (args: readonly string[]) => lull(args, service.env);

  it("pause, what waits, resume, say", async () => {
    await service.start(1);
    expect((await beside(["pause"])).json).toEqual({ paused: true });
    await service.write(1, "anybody there?");
    const { items } = (await beside(["locks"])).json;
    expect(items).toMatchObject([{ staged: 1 }]);
    expect((await beside(["resume"])).json).toEqual({ paused: false });
    await service.twilio.whenSent(1);
    const say = ["conversations", "say", items[0].conversation_id, "One more thing."];
    expect((await beside(say)).json).toMatchObject({ result: "staged" });
    await service.twilio.whenSent(2);
    expect(service.twilio.sent.map(({ body }) => body)).toEqual([
      "answer to: anybody there?",
      "One more thing.",
    ]);
  });

  it("a dead letter is listed, retried and answered; another is discarded", async () => {
    service.openai.behave(() => ({ kind: "error", status: 400, message: "no" }));
    await service.start(1);
    for (const customer of [1, 2]) await service.write(customer, `from ${customer}`);
    const letters = await eventually("two dead letters", async () => {
      const { items } = (await beside(["dead"])).json;
      return items.length === 2 ? (items as { id: string; messages: { text: string }[] }[]) : undefined;
    });
    const of = (text: string) => letters.find(({ messages }) => messages[0]?.text === text)!.id;
    service.openai.behave(() => "service last");
    expect(await beside(["dead", "discard", of("from 2"), "--yes"])).toMatchObject({ code: 0 });
    expect(await beside(["dead", "retry", of("from 1")])).toMatchObject({ code: 0 });
    await service.twilio.whenSent(1);
    expect((await beside(["dead"])).json.items).toEqual([]);
    expect((await beside(["dead", "retry", of("from 1")])).code).toBe(1);
    expect(service.twilio.sent.map(({ body }) => body)).toEqual(["service last"]);
  });

  it("an unknown send is listed, sent again, or marked", async () => {
    Object.assign(service.env, {
      LULL_SETTLE_SECONDS: "0.2",
      LULL_SEND_TIMEOUT_SECONDS: "0.5",
      LULL_RETRY_FOR_SECONDS: "1",
    });
    await service.start(1);
    service.twilio.behave(() => ({ kind: "drop" }));
    for (const customer of [1, 2]) await service.write(customer, "hi");
    const items = await eventually("two unknown sends", async () => {
      const listed = (await beside(["unknown"])).json.items as { id: string; to: string }[];
      return listed.length === 2 ? listed : undefined;
    });
    service.twilio.behave(() => ({ kind: "ok" }));
    const [first, second] = [items[0]!, items[1]!];
    expect((await beside(["unknown", "mark", first.id, "sent"])).json).toMatchObject({ as: "sent" });
    expect((await beside(["unknown", "resend", second.id])).code).toBe(0);
    await service.twilio.whenSent(1);
    expect((await beside(["unknown"])).json.items).toEqual([]);
  });

  it("catch-up stages what was missed, once; simulate tells how bursts went", async () => {
    const [from, to] = ["whatsapp:+15550123", "whatsapp:+14155238886"];
    service.twilio.add({
      direction: "inbound",
      from,
      to,
      body: "are you open?",
      sentAtMs: systemClock.nowMs(),
    });
    const tally = async () => (await beside(["catch-up", "--since", "2h"])).json.channels;
    expect(await tally()).toMatchObject([{ channel: "whatsapp", new: 1, duplicates: 0 }]);
    expect(await tally()).toMatchObject([{ channel: "whatsapp", new: 0, duplicates: 1 }]);
    const url = await (await service.start(2)).url();
    await service.twilio.whenSent(1);
    expect(service.twilio.sent).toMatchObject([{ to: from, body: "answer to: are you open?" }]);
    const burst = ["load-test", "--url", url, "--customers", "3", "--messages", "3", "--gap-ms", "10"];
    const { code, json } = await beside(burst);
    expect(code).toBe(0);
    expect(json).toMatchObject({ messages_acknowledged: 9, customers_answered: 3 });
  });
});
