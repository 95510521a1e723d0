import type { Stack } from "aws-cdk-lib";
import type { Template } from "aws-cdk-lib/assertions";
import { Key } from "aws-cdk-lib/aws-kms";
import { Secret } from "aws-cdk-lib/aws-secretsmanager";
import { Queue } from "aws-cdk-lib/aws-sqs";
import { describe, expect, test } from "vitest";
import { Lull, type LullProps } from "../../src/cdk/index.ts";
import { type Statement, statementsIn } from "./permissions.ts";
import { functionsOf, newStack, type Resource, resourcesOf, synthesise } from "./synthesis.ts";

const VARIABLES = ["LULL_AI_QUEUE", "LULL_HANDOFF_QUEUE"];
const made = synthesise(() => ({ aiQueue: true, handOffQueue: true }));

function variablesOf(of: Template): Record<string, unknown> {
  return functionsOf(of).worker!.Properties.Environment.Variables;
}

/** The queue that a variable names, with what is in the template under its id. */
function behind(variable: string, of = made): { id: string; queue: Resource; dead: Resource } {
  const { Ref: id } = variablesOf(of)[variable] as { Ref: string };
  const queues = resourcesOf(of, "AWS::SQS::Queue");
  const queue = queues[id]!;
  const dead = queues[queue.Properties.RedrivePolicy?.deadLetterTargetArn["Fn::GetAtt"][0]]!;
  return { id, queue, dead };
}

/** Every right over queues beyond those over triggers: `worker sqs:SendMessage <resource>`. */
function rightsOver(ids: readonly string[], of: Template): string[] {
  return statementsIn(of).flatMap(({ caller, actions, resources }) =>
    actions.flatMap((action) =>
      ids.filter((id) => JSON.stringify(resources).includes(id)).map((id) => `${caller} ${action} ${id}`),
    ),
  );
}

function alarmsOf(of: Template): Record<string, Resource["Properties"]> {
  return Object.fromEntries(
    Object.entries(resourcesOf(of, "AWS::CloudWatch::Alarm")).map(([id, { Properties }]) => [
      id.replace(/^LullAlarms/, "").replace(/[0-9A-F]{8}$/, ""),
      Properties,
    ]),
  );
}

const keyStatements = (of: Template) =>
  statementsIn(of).filter(({ actions }) => actions.join() === "kms:Decrypt,kms:GenerateDataKey");

describe("queues that turns are handed to, made here,", () => {
  test.each(VARIABLES)("%s: hide a turn while any function may run, keep it a week, its dead two", (name) => {
    const { queue, dead } = behind(name);
    expect(queue.Properties).toMatchObject({
      VisibilityTimeout: 900,
      MessageRetentionPeriod: 7 * 86_400,
      SqsManagedSseEnabled: true,
      RedrivePolicy: { maxReceiveCount: 5 },
    });
    expect(queue.Properties).not.toHaveProperty("FifoQueue");
    expect(dead.Properties).toMatchObject({
      MessageRetentionPeriod: 14 * 86_400,
      SqsManagedSseEnabled: true,
    });
  });

  test("refuse what comes without TLS", () => {
    const policies = Object.values(resourcesOf(made, "AWS::SQS::QueuePolicy"));
    const queues = Object.keys(resourcesOf(made, "AWS::SQS::Queue"));
    expect(queues).toHaveLength(6);
    const covered = policies.flatMap(({ Properties }) =>
      Properties.Queues.map(({ Ref }: { Ref: string }) => Ref),
    );
    expect(covered.sort()).toEqual(queues.sort());
    for (const { Properties } of policies)
      expect(Properties.PolicyDocument.Statement).toMatchObject([
        { Effect: "Deny", Condition: { Bool: { "aws:SecureTransport": "false" } } },
      ]);
  });

  test("are written to by the worker, and by nothing else; nobody else may do anything there", () => {
    const ids = VARIABLES.map((name) => behind(name).id);
    expect(rightsOver(ids, made)).toEqual(ids.map((id) => `worker sqs:SendMessage ${id}`));
    const withApi = synthesise(() => ({ api: true, aiQueue: true }));
    const { id } = behind("LULL_AI_QUEUE", withApi);
    expect(rightsOver([id], withApi)).toEqual([`worker sqs:SendMessage ${id}`]);
  });

  test("wake no function of ours", () => {
    const feeds = Object.values(resourcesOf(made, "AWS::Lambda::EventSourceMapping"));
    expect(feeds).toHaveLength(1);
    expect(JSON.stringify(feeds)).not.toMatch(/AiQueue|HandOffQueue/);
  });

  test("are under a key of your own, which the worker may use already", () => {
    const keyed = synthesise((stack) => ({ aiQueue: true, queueEncryptionKey: new Key(stack, "Key") }));
    const [key] = Object.keys(resourcesOf(keyed, "AWS::KMS::Key"));
    const { queue, dead } = behind("LULL_AI_QUEUE", keyed);
    for (const { Properties } of [queue, dead])
      expect(Properties.KmsMasterKeyId).toEqual({ "Fn::GetAtt": [key, "Arn"] });
    expect(keyStatements(keyed).map(({ caller }) => caller)).toEqual(["webhook", "worker", "sweeper"]);
  });

  test.each([
    ["AiQueueDead", "ApproximateNumberOfMessagesVisible", 0, /^LullAiQueueDead/],
    ["AiQueueLate", "ApproximateAgeOfOldestMessage", 600, /^LullAiQueue(?!Dead)/],
    ["HandOffQueueDead", "ApproximateNumberOfMessagesVisible", 0, /^LullHandOffQueueDead/],
    ["HandOffQueueLate", "ApproximateAgeOfOldestMessage", 14_400, /^LullHandOffQueue(?!Dead)/],
  ])("ring: %s, %s above %d", (id, MetricName, Threshold, queue) => {
    const alarm = alarmsOf(made)[id]!;
    expect(alarm).toMatchObject({
      Namespace: "AWS/SQS",
      MetricName,
      Threshold,
      TreatMissingData: "notBreaching",
    });
    expect(alarm.Dimensions[0].Value["Fn::GetAtt"][0]).toMatch(queue);
    expect(alarm.AlarmDescription).toMatch(/\w.+\.$/);
  });

  test("are on the dashboard, which has no empty row without them", () => {
    const body = (of: Template) =>
      JSON.stringify(Object.values(resourcesOf(of, "AWS::CloudWatch::Dashboard")));
    for (const label of ["aiQueue", "aiQueue, dead", "handOffQueue, sent"])
      expect(body(made)).toContain(label);
    expect(body(synthesise())).not.toContain("Handed over");
  });

  test("are there where they are wanted", () => {
    const without = synthesise(() => ({ aiQueue: false }));
    expect(Object.keys(resourcesOf(without, "AWS::SQS::Queue"))).toHaveLength(2);
    for (const name of VARIABLES) expect(variablesOf(without)).not.toHaveProperty(name);
  });

  test("can be told from channels of the same names", () => {
    const named = synthesise(() => ({
      channels: ["ai", "aiqueue", "handoff"],
      aiQueue: true,
      handOffQueue: true,
    }));
    expect(Object.keys(resourcesOf(named, "AWS::SQS::Queue"))).toHaveLength(12);
    const urls = ["LULL_QUEUE_AI", "LULL_QUEUE_AIQUEUE", ...VARIABLES].map(
      (name) => variablesOf(named)[name],
    );
    expect(new Set(urls.map((url) => JSON.stringify(url))).size).toBe(4);
  });
});

describe("queues that turns are handed to, given,", () => {
  const ARN = "arn:aws:sqs:eu-west-1:444455556666:agents.fifo";

  test("are told and written to, and neither made nor watched: they have an owner", () => {
    const given = synthesise((stack) => ({ handOffQueue: Queue.fromQueueArn(stack, "Theirs", ARN) }));
    expect(JSON.stringify(variablesOf(given).LULL_HANDOFF_QUEUE)).toMatch(/sqs.*444455556666.*agents\.fifo/);
    expect(Object.keys(resourcesOf(given, "AWS::SQS::Queue"))).toHaveLength(2);
    expect(rightsOver([ARN], given)).toEqual([`worker sqs:SendMessage ${ARN}`]);
    expect(keyStatements(given)).toEqual([]);
    expect(Object.keys(alarmsOf(given))).toEqual(Object.keys(alarmsOf(synthesise())));
  });

  test("under a key of theirs have the worker use that key, and only the worker", () => {
    const keyed = synthesise((stack) => ({
      aiQueue: new Queue(stack, "Theirs", { encryptionMasterKey: new Key(stack, "Key") }),
    }));
    const [key] = Object.keys(resourcesOf(keyed, "AWS::KMS::Key"));
    expect(keyStatements(keyed)).toEqual([
      expect.objectContaining({ caller: "worker", resources: [{ "Fn::GetAtt": [key, "Arn"] }] }),
    ]);
  });

  test("may be one for both", () => {
    const one = synthesise((stack) => {
      const queue = new Queue(stack, "Desk");
      return { aiQueue: queue, handOffQueue: queue };
    });
    const [ai, handOff] = VARIABLES.map((name) => variablesOf(one)[name]);
    expect(ai).toEqual(handOff);
    const { Ref } = ai as { Ref: string };
    expect(rightsOver([Ref], one)).toEqual([`worker sqs:SendMessage ${Ref}`]);
  });

  test("are not what wakes a worker, of this deployment or of another, nor what is dead of it", () => {
    const stack = newStack();
    const first = new Lull(stack, "First");
    for (const queue of [first.queues.default!, first.deadLetterQueues.default!])
      expect(() => new Lull(stack, `Second-${queue.node.id}`, { aiQueue: queue })).toThrow(
        /aiQueue: this queue holds triggers/,
      );
  });
});

describe("queues that turns are handed to, in config,", () => {
  const arnOf = (name: string) => ({
    "Fn::Join": ["", ["arn:", { Ref: "AWS::Partition" }, `:sqs:eu-central-1:444455556666:${name}`]],
  });
  const urlOf = (name: string, host = "sqs.eu-central-1.amazonaws.com") => ({
    queue: { url: `https://${host}/444455556666/${name}` },
  });
  const sendingIn = (of: Template) =>
    statementsIn(of).filter(({ actions }) => actions.join() === "sqs:SendMessage");

  test("wherever they stand, are written to by the worker, and are not made here", () => {
    const config = {
      responder: urlOf("ai"),
      responders: { sms: urlOf("sms.fifo"), web: "echo" },
      handOffTo: urlOf("desk"),
      projects: {
        acme: {
          respond: urlOf("acme", "vpce-1-2.sqs.eu-central-1.vpce.amazonaws.com"),
          responders: { "acme-sms": urlOf("ai") },
          handOffTo: urlOf("acme-desk", "eu-central-1.queue.amazonaws.com"),
        },
      },
    };
    const named = synthesise(() => ({ config }));
    const [sending, ...others] = sendingIn(named).filter(({ caller }) => caller === "worker");
    expect(sending!.resources).toEqual(
      ["ai", "sms.fifo", "desk", "acme", "acme-desk"].map((name) => arnOf(name)),
    );
    expect(others).toEqual([]);
    const toOthers = sendingIn(named).filter(({ caller }) => caller !== "worker");
    expect(JSON.stringify(toOthers)).not.toContain("444455556666");
    expect(Object.keys(resourcesOf(named, "AWS::SQS::Queue"))).toHaveLength(2);
  });

  test("may be made by the stack: the right follows the URL that the deployment tells", () => {
    const made = synthesise((stack) => ({
      config: { handOffTo: { queue: { url: new Queue(stack, "Desk").queueUrl } } },
    }));
    const [{ resources }] = sendingIn(made).filter(({ caller }) => caller === "worker") as [Statement];
    const [desk] = Object.keys(resourcesOf(made, "AWS::SQS::Queue")).filter((id) => /^Desk/.test(id));
    const part = (at: number, mark: string) => ({
      "Fn::Select": [at, { "Fn::Split": [mark, { Ref: desk }] }],
    });
    const arn = [
      "arn:",
      { Ref: "AWS::Partition" },
      ":sqs:",
      part(1, "."),
      ":",
      part(3, "/"),
      ":",
      part(4, "/"),
    ];
    expect(resources).toEqual([{ "Fn::Join": ["", arn] }]);
  });
});

test("a stack gets at both, and at what is dead in those made here", () => {
  const lullIn = (propsIn: (stack: Stack) => LullProps) => {
    const stack = newStack();
    return new Lull(stack, "Lull", propsIn(stack));
  };
  const both = lullIn(() => ({ aiQueue: true, handOffQueue: true }));
  const all = [both.aiQueue, both.aiDeadLetterQueue, both.handOffQueue, both.handOffDeadLetterQueue];
  expect(new Set(all.map((queue) => queue?.node.id))).toEqual(
    new Set(["AiQueue", "AiQueueDead", "HandOffQueue", "HandOffQueueDead"]),
  );
  expect(Object.keys(both.deadLetterQueues)).toEqual(["default"]);
  const given = lullIn((stack) => ({ aiQueue: new Queue(stack, "Theirs") }));
  expect(given.aiQueue?.node.id).toBe("Theirs");
  expect([given.aiDeadLetterQueue, given.handOffQueue]).toEqual([undefined, undefined]);
});

test("who reads the AI queue may answer: /api is served where it has a token", () => {
  const answered = synthesise((stack) => ({
    aiQueue: true,
    environment: { LULL_AI_QUEUE_ANSWER_SECONDS: "600" },
    secrets: { LULL_TURN_TOKEN: new Secret(stack, "TurnToken") },
  }));
  expect(variablesOf(answered).LULL_AI_QUEUE_ANSWER_SECONDS).toBe("600");
  expect(Object.keys(functionsOf(answered))).toContain("api");
});

test("who reads a queue of config may answer, too: with a token of its project /api is served", () => {
  const queue = { url: "https://sqs.eu-west-1.amazonaws.com/111122223333/acme", answerWithinSeconds: 600 };
  const acme = { responder: { queue }, tokens: { turn: { env: "ACME_TURN" } } };
  const answered = synthesise((stack) => ({
    config: { projects: { acme } },
    secrets: { ACME_TURN: new Secret(stack, "TurnToken") },
  }));
  expect(Object.keys(functionsOf(answered))).toContain("api");
});
