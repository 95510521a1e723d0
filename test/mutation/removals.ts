import type { Removal } from "../simulation/protections.ts";

/** A protection whose absence once went unnoticed, and the test that notices it now. */
export interface Named extends Removal {
  readonly tests: readonly string[];
  /** The beginning of a title, where the rest of the file is slow and finds nothing. */
  readonly title?: string;
  /** On emulators. */
  readonly aws?: true;
}

const READS: readonly (readonly [string, string, string])[] = [
  ["of one item", "Key: marshalled(key), ConsistentRead: true", "Key: marshalled(key)"],
  ["by key", "...(index === undefined ? { ConsistentRead: true } :", "...(index === undefined ? {} :"],
  [
    "of a whole table",
    "...this.#reading(table, reading), ConsistentRead: true };",
    "...this.#reading(table, reading) };",
  ],
  [
    "of many items",
    "Keys: rest.slice(0, BATCH_GET_MAX), ConsistentRead: true",
    "Keys: rest.slice(0, BATCH_GET_MAX)",
  ],
  [
    "that count, by key",
    "...(index ? { IndexName: index } : { ConsistentRead: true })",
    "...(index && { IndexName: index })",
  ],
  ["that count a table", "new ScanCommand({ ...page, ConsistentRead: true })", "new ScanCommand(page)"],
];

const CONTRACT = ["test/aws/simulated/contract.test.ts"];

/** Of the fourteen ways to lose a message those that only DynamoDB and SQS leave open. */
const WAYS: readonly Omit<Named, "tests" | "aws">[] = [
  {
    protection: "way 1: disarm before the batch is read",
    title: "a message that comes in between any two requests of a turn",
    patches: [
      {
        file: "engines/aws/steps/look.ts",
        find:
          "  const window = await (isKept ? undefined : disarm(context, stored.id, leasedAtMs));\n" +
          "  const rows = await stagedRows(context, stored.id, { isForTurn: true });\n",
        replace:
          "  const rows = await stagedRows(context, stored.id, { isForTurn: true });\n" +
          "  const window = await (isKept ? undefined : disarm(context, stored.id, leasedAtMs));\n",
      },
    ],
  },
  {
    protection: "way 2: whoever finds a window overdue sends its trigger again",
    title: "a window whose trigger was never sent is looked at when its message comes again",
    patches: [
      {
        file: "engines/aws/steps/window.ts",
        find: "} else if (isOverdue(context, armed.window)) {",
        replace: "} else if (false) {",
      },
    ],
  },
  {
    protection: "way 2: the sweeper sends the trigger of an overdue window again",
    title: "a window whose trigger was never sent is looked at after a sweep",
    patches: [
      {
        file: "engines/aws/steps/sweep.ts",
        find: "await filterInParallel(overdue, WIDTH, (window) => sendAgain(context, window));",
        replace: "(void sendAgain, overdue.slice(0, 0));",
      },
    ],
  },
  {
    protection: "way 3: a trigger that finds the lease held comes again",
    title: "a wake-up while the lease is held is told when to come again",
    patches: [
      {
        file: "engines/aws/steps/take.ts",
        find:
          "  await context.triggers.send(triggerOf(stored, source), " +
          "untilAtMs + context.settings.clockSkewMs);\n",
        replace: "",
      },
    ],
  },
  {
    protection: "way 6: the batch is removed and remembered with the commit",
    title: "a worker that dies before any request of its commit",
    patches: [
      {
        file: "engines/aws/steps/commit.ts",
        find: "countTurn(turn.work.turnId), ...batch];",
        replace: "countTurn(turn.work.turnId)];",
      },
      {
        file: "engines/aws/steps/commit.ts",
        find:
          "return writeTogether(context, stored, state.stored, " +
          "{ actions, batch: batch.length, row, token });",
        replace:
          "const saved = await writeTogether(context, stored, state.stored, " +
          "{ actions, batch: 0, row, token });\n" +
          '  if (saved.kind === "saved")\n' +
          '    await context.store.transact(batch, token.slice(0, 30) + "-later");\n' +
          "  return saved;",
      },
    ],
  },
  {
    protection: "way 11: nothing that is staged has an end",
    title: "staged messages never expire",
    patches: [
      {
        file: "engines/aws/dynamo/tables.ts",
        find: '    sortKey: text("message_sid"),\n',
        replace: '    sortKey: text("message_sid"),\n    timeToLive: "expires_at",\n',
      },
      {
        file: "engines/aws/items/stage-item.ts",
        find: "    kind: row.kind,\n",
        replace: "    kind: row.kind,\n    expires_at: Math.ceil(arrivedAtMs / 1_000) + 70,\n",
      },
    ],
  },
];

export const NAMED: readonly Named[] = [
  {
    protection: "a failed group commit fails every request in it",
    tests: ["src/engines/sqlite/durability.test.ts"],
    patches: [
      {
        file: "engines/sqlite/group.ts",
        find:
          "return commit(() => requests.map(orFail));\n  } catch (error) {\n" +
          "    const failure = failed(error);\n" +
          "    if (!(error instanceof TransactionEnded)) return requests.map(() => failure);",
        replace:
          "return commit(() =>\n      requests.map((request) => {\n        done.push(orFail(request));\n" +
          "        return done.at(-1)!;\n      }),\n    );\n  } catch (error) {\n    failed(error);\n" +
          "    if (!(error instanceof TransactionEnded)) return done;",
      },
      {
        file: "engines/sqlite/group.ts",
        find: "  const apart = savepoints(database, onUndone);\n",
        replace: "  const apart = savepoints(database, onUndone);\n  const done: StepReply[] = [];\n",
      },
    ],
  },
  {
    protection: "a transaction that SQLite ended is not gone on with",
    tests: ["src/engines/sqlite/group.test.ts"],
    patches: [
      {
        file: "engines/sqlite/group.ts",
        find: "if (!database.isTransaction) throw new TransactionEnded();",
        replace: "",
      },
    ],
  },
  {
    protection: "what a read tells is of one moment",
    tests: ["test/sqlite/reads-at-once.test.ts"],
    patches: [
      {
        file: "engines/sqlite/store.ts",
        find: "return whileBusy(() => sql.reading(known));",
        replace: "return whileBusy(known);",
      },
    ],
  },
  {
    protection: "what was undone is not known",
    tests: ["src/engines/sqlite/row-cache.test.ts"],
    patches: [
      {
        file: "engines/sqlite/store.ts",
        find: "onUndone: () => cache.undo(),",
        replace: "onUndone: () => {},",
      },
    ],
  },
  {
    protection: "what another process wrote is read",
    tests: ["src/engines/sqlite/sqlite.test.ts"],
    patches: [
      {
        file: "engines/sqlite/row-cache.ts",
        find: "if (version !== this.#known) this.clear();",
        replace: "if (this.#known === undefined) this.clear();",
      },
    ],
  },
  {
    protection: "what earlier turns sent is not found again",
    tests: ["src/runtime/deliver.test.ts"],
    patches: [
      {
        file: "runtime/provider-calls.ts",
        find: "excludeProviderIds: [...run.taken.recentProviderIds, ...providerIdsOf(draft)],",
        replace: "excludeProviderIds: providerIdsOf(draft),",
      },
    ],
  },
  {
    protection: "what other chunks of the turn sent is not found again",
    tests: ["src/runtime/deliver.test.ts"],
    patches: [
      {
        file: "runtime/provider-calls.ts",
        find: "excludeProviderIds: [...run.taken.recentProviderIds, ...providerIdsOf(draft)],",
        replace: "excludeProviderIds: run.taken.recentProviderIds,",
      },
    ],
  },
  {
    protection: "Twilio leaves out what was told apart",
    tests: ["src/channels/twilio/reconcile.test.ts"],
    patches: [
      {
        file: "channels/twilio/reconcile.ts",
        find: "!query.excludeProviderIds.includes(message.sid)",
        replace: "message.sid !== undefined",
      },
    ],
  },
  {
    protection: "WATI leaves out what was told apart",
    tests: ["src/channels/wati/send.test.ts"],
    patches: [
      {
        file: "channels/wati/reconcile.ts",
        find:
          "item.owner !== true || " +
          'IDS.some((key) => query.excludeProviderIds.includes(text(item[key]) ?? ""))',
        replace: "item.owner !== true",
      },
    ],
  },
  {
    protection: "a commit is synced",
    tests: ["test/sqlite/synced-commits.test.ts"],
    patches: [
      { file: "engines/sqlite/index.ts", find: 'synchronous = "full"', replace: 'synchronous = "off"' },
    ],
  },
  {
    protection: "every commit that promises something is synced",
    tests: ["test/sqlite/synced-commits.test.ts"],
    patches: [
      {
        file: "engines/sqlite/connection.ts",
        find: 'on ? "full" : "normal"',
        replace: '"off"',
      },
      {
        file: "engines/sqlite/connection.ts",
        find: "if (on && synchronousOf(this.#database) !== FULL)",
        replace: "if (false)",
      },
    ],
  },
  {
    protection: "a commit is synced from the opening on, whatever SQLite takes for enough",
    tests: ["src/engines/sqlite/durability.test.ts"],
    patches: [
      {
        file: "engines/sqlite/connection.ts",
        find: "options.synchronous}; PRAGMA temp_store",
        replace: 'options.synchronous && "normal"}; PRAGMA temp_store',
      },
    ],
  },
  {
    protection: "a send is aborted at its deadline",
    tests: ["src/runtime/provider-calls.test.ts"],
    patches: [{ file: "runtime/provider-calls.ts", find: "    aborting.abort();\n", replace: "" }],
  },
  {
    protection: "a lost lease ends the wait for the provider",
    tests: ["src/runtime/provider-calls.test.ts"],
    patches: [
      {
        file: "runtime/provider-calls.ts",
        find: "    whenAborted(heartbeat.lost, giveUp),\n",
        replace: "",
      },
    ],
  },
  {
    protection: "a worker ends with its parent",
    tests: ["test/service/hanging.test.ts"],
    title: "ends, also when its event loop is blocked",
    patches: [
      {
        file: "cli/watching/parent-guard-thread.ts",
        find: "if (isGone && wasGone) {",
        replace: "if (isGone && wasGone && false) {",
      },
    ],
  },
  {
    protection: "the parent frees a dead worker's leases",
    tests: ["test/cli.test.ts"],
    title: "a killed worker's turn goes on because the parent, and nothing else, frees its leases",
    patches: [
      {
        file: "cli/workers/supervisor.ts",
        find: "const leases = await free().catch(",
        replace: "const leases = await Promise.resolve(free.length).catch(",
      },
    ],
  },
  {
    protection: "in which conversation a message waits is decided once",
    tests: ["test/aws/simulated/two-conversations.test.ts"],
    title: "two deliveries of a message, one",
    aws: true,
    patches: [
      {
        file: "engines/aws/items/claim.ts",
        find: 'update("seen", key, change, condition)',
        replace: 'update("seen", key, change, (condition, undefined))',
      },
    ],
  },
  {
    protection: "a draft that a human forestalled is taken back",
    tests: ["test/aws/simulated/handing-off.test.ts"],
    aws: true,
    patches: [
      {
        file: "engines/aws/steps/turn.ts",
        find: "if (!handedOff && !newer) return",
        replace: "if (!newer) return",
      },
    ],
  },
  {
    protection: "a look that fails releases its lease",
    tests: ["test/aws/simulated/failed-looks.test.ts"],
    aws: true,
    patches: [
      {
        file: "engines/aws/steps/take.ts",
        find: "    await undoTake(context, leased.id, token);\n",
        replace: "    void undoTake;\n",
      },
    ],
  },
  {
    protection: "a lease is put back with a window",
    tests: ["test/aws/simulated/failed-looks.test.ts"],
    aws: true,
    patches: [
      {
        file: "engines/aws/steps/undo-take.ts",
        find: "      await stand(context, triggerOf(stored), { dueAtMs: context.clock.nowMs() });\n",
        replace: "      void [stand, triggerOf];\n",
      },
    ],
  },
  {
    protection: "a window that was put off by a clock that was set back is found",
    tests: ["test/aws/simulated/clock-set-back.test.ts"],
    aws: true,
    patches: [
      {
        file: "engines/aws/steps/window.ts",
        find: "Math.max(wakeAtMs, atMs)",
        replace: "Math.min(wakeAtMs, atMs)",
      },
    ],
  },
  ...WAYS.map((way) => ({ ...way, tests: CONTRACT, aws: true as const })),
  ...READS.map(([what, find, replace]) => ({
    protection: `reads ${what} are consistent`,
    tests: ["test/aws/contract.test.ts"],
    aws: true as const,
    patches: [{ file: "engines/aws/dynamo/dynamo-store.ts", find, replace }],
  })),
];
