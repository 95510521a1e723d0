import assert from "node:assert/strict";
import { DeleteItemCommand, GetItemCommand, PutItemCommand } from "@aws-sdk/client-dynamodb";
import { marshall, unmarshall } from "@aws-sdk/util-dynamodb";
import { INSTALLATION } from "../../src/engines/aws/items/keys.ts";
import type { DeadLetter } from "../../src/model/dead-letter.ts";
import type { Arrival } from "../../src/model/message.ts";
import type { GivenSettings } from "../../src/model/settings.ts";
import type { Taken } from "../../src/model/take.ts";
import type { Engine, StageOutcome } from "../../src/ports/engine.ts";
import { allSent, arrival, as, draftFor, replied } from "../../src/testing/engine-contract/builders.ts";
import type { Emulators } from "../../tools/aws-local/emulators.ts";
import { type AwsFixture, awsFixture, type Logged } from "./aws-fixture.ts";

export type Row = Record<string, unknown>;

/** The key of every installation here, so that a test knows the ids of conversations before they are made. */
export const SECRET = "the installation's";

/** An engine on tables into which the test writes as another program would. */
export class SharedTables {
  readonly fixture: AwsFixture;
  readonly engine: Engine;
  #count = 0;

  private constructor(fixture: AwsFixture, engine: Engine) {
    this.fixture = fixture;
    this.engine = engine;
  }

  static async open(emulators: Emulators, settings: Partial<GivenSettings> = {}): Promise<SharedTables> {
    const fixture = await awsFixture(emulators, settings);
    const installation = { conversation_id: INSTALLATION, installation_key: SECRET };
    await putInto(fixture, "conversations-state", installation);
    return new SharedTables(fixture, await fixture.open());
  }

  close(): Promise<void> {
    return this.fixture.close();
  }

  put(table: string, row: Row): Promise<void> {
    return putInto(this.fixture, table, row);
  }

  async get(table: string, key: Row): Promise<Row | undefined> {
    const command = new GetItemCommand({ TableName: this.tableOf(table), Key: marshall(key) });
    const { Item } = await this.fixture.dynamodb.send(command);
    return Item && unmarshall(Item);
  }

  async remove(table: string, key: Row): Promise<void> {
    const command = new DeleteItemCommand({ TableName: this.tableOf(table), Key: marshall(key) });
    await this.fixture.dynamodb.send(command);
  }

  tableOf(name: string): string {
    return `${this.fixture.options.tablePrefix}${name}`;
  }

  /** A message of Ana's, unless it is said to be another's. */
  async receive(given: Partial<Arrival> = {}): Promise<StageOutcome> {
    this.#count += 1;
    const providerId = `m${this.#count}`;
    const message = arrival({ providerId, arrivedAtMs: this.fixture.clock.nowMs(), ...given });
    const [outcome] = await this.engine.receiving.stage([{ arrival: message }]);
    return outcome!;
  }

  /** The one turn that is due when the window is over. */
  async turnInTime(): Promise<Taken> {
    await this.fixture.clock.advance(10_000);
    return this.turn();
  }

  /** The one turn that is due now. */
  async turn(): Promise<Taken> {
    const turns = (await this.fixture.takeDue(this.engine)).filter(({ kind }) => kind === "turn");
    assert.equal(turns.length, 1, "one turn");
    return as("turn", turns[0]!).taken;
  }

  async answer(turn: Taken, more: Parameters<typeof replied>[2] = {}): Promise<void> {
    const draft = draftFor(turn);
    as("drafted", await this.engine.turns.draft(turn.lease, draft));
    as("committed", await this.engine.turns.commit(turn.lease, replied(turn, allSent(draft), more)));
  }

  async dead(): Promise<readonly DeadLetter[]> {
    return (await this.engine.inspector.dead({ limit: 100 })).items;
  }

  told(name: string): readonly Logged[] {
    return this.fixture.logged.filter(({ event }) => event === name);
  }

  /** The tables of the rows that were logged as not ours, each as often as it was. */
  quarantined(): unknown[] {
    return this.told("store.quarantined").map(({ fields }) => fields.table);
  }
}

async function putInto({ options, dynamodb }: AwsFixture, table: string, row: Row): Promise<void> {
  const Item = marshall(row, { removeUndefinedValues: true });
  await dynamodb.send(new PutItemCommand({ TableName: `${options.tablePrefix}${table}`, Item }));
}
