import type { Spent } from "./meter.ts";

/**
 * List prices of us-east-1 in dollars, per million unless it says otherwise, as published in November 2026.
 * Free tiers left out.
 */
const PRICES = {
  readUnits: 0.125,
  writeUnits: 0.625,
  queueRequests: 0.4,
  gatewayRequests: 1,
  invocations: 0.2,
  gigabyteSecond: 0.0000133334,
  /** A gigabyte of log lines. */
  logGigabyte: 0.5,
};

/** What a bill needs to know of the functions and no engine can count: 512 MB, and how long they run. */
const GIGABYTES = 0.5;
const WEBHOOK_SECONDS = 0.05;
const WORKER_SECONDS = 3;
/** As Twilio tells of a WhatsApp message: sent, delivered, read. */
const CALLBACKS = 3;
/** Lines of the gateway's log, of Lambda itself and of ours, in bytes, as they were measured. */
const LOG_BYTES = { webhook: 1_000, worker: 1_500, callback: 800 };

export interface Burst {
  readonly messages: number;
  /** The first message, which opens the window, and one of the others. */
  readonly first: Spent;
  readonly other: Spent;
  readonly turn: Spent;
  /** One status callback for its reply. */
  readonly callback: Spent;
}

const total = ({ requests }: Spent) => Object.values(requests).reduce((sum, count) => sum + count, 0);

/** What is counted, and for which step. */
export function countsTable(rows: readonly (readonly [what: string, spent: Spent])[]): string {
  return table(
    ["", "requests", "read units", "write units"],
    rows.map(([what, spent]) => [what, total(spent), spent.readUnits, spent.writeUnits]),
  );
}

/** Dollars per million messages. */
export function dollarsTable(bursts: readonly Burst[]): string {
  const rows = bursts.map((burst) => {
    const parts = Object.values(billOf(burst));
    return [
      burst.messages,
      ...[...parts, parts.reduce((sum, each) => sum + each, 0)].map((each) => each.toFixed(2)),
    ];
  });
  const head = [
    "messages in a burst",
    "DynamoDB",
    "SQS",
    "API Gateway",
    "Lambda",
    "status callbacks",
    "logs",
  ];
  return table([...head, "together"], rows);
}

function billOf({ messages, first, other, turn, callback }: Burst) {
  const perMessage = (count: (spent: Spent) => number) =>
    (count(first) + count(other) * (messages - 1) + count(turn)) / messages;
  const workerSeconds = (WORKER_SECONDS * GIGABYTES) / messages;
  const seconds = WEBHOOK_SECONDS * GIGABYTES + workerSeconds;
  return {
    dynamodb:
      perMessage(({ readUnits }) => readUnits) * PRICES.readUnits +
      perMessage(({ writeUnits }) => writeUnits) * PRICES.writeUnits,
    sqs: perMessage(queueRequests) * PRICES.queueRequests,
    gateway: PRICES.gatewayRequests,
    lambda: (1 + 1 / messages) * PRICES.invocations + seconds * PRICES.gigabyteSecond * 1_000_000,
    callbacks: (CALLBACKS / messages) * billOfCallback(callback),
    logs:
      ((LOG_BYTES.webhook + (LOG_BYTES.worker + CALLBACKS * LOG_BYTES.callback) / messages) / 1_000) *
      PRICES.logGigabyte,
  };
}

/** A request at the gateway, an invocation, and what the tables do: like a message that is only looked up. */
function billOfCallback({ readUnits, writeUnits }: Spent): number {
  return (
    PRICES.gatewayRequests +
    PRICES.invocations +
    WEBHOOK_SECONDS * GIGABYTES * PRICES.gigabyteSecond * 1_000_000 +
    readUnits * PRICES.readUnits +
    writeUnits * PRICES.writeUnits
  );
}

function queueRequests({ requests }: Spent): number {
  return Object.entries(requests).reduce((sum, [name, count]) => sum + (/Message/.test(name) ? count : 0), 0);
}

function table(head: readonly string[], rows: readonly (readonly (string | number)[])[]): string {
  const line = (cells: readonly (string | number)[]) => `| ${cells.join(" | ")} |`.replace("|  |", "| |");
  return [line(head), `|${"---|".repeat(head.length)}`, ...rows.map(line)].join("\n");
}
