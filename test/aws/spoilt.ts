import type { TableName } from "../../src/engines/aws/dynamo/tables.ts";
import type { SpoiltWhat } from "../../src/testing/engine-contract/index.ts";

interface Spoilt {
  readonly table: TableName;
  readonly keys: readonly string[];
  readonly foreign: Readonly<Record<string, unknown>>;
}

/** What another's row has in place of ours, table by table. */
export const SPOILT: Readonly<Record<SpoiltWhat, Spoilt>> = {
  state: {
    table: "state",
    keys: ["conversation_id"],
    foreign: { works: "none", not_before_at_ms: "soon", draft: null, turn_count: null, rev: 7 },
  },
  staged: {
    table: "stage",
    keys: ["conversation_id", "message_sid"],
    foreign: { body: 7, received_at: "soon" },
  },
  conversation: {
    table: "conversations",
    keys: ["primary_channel", "conversation_id"],
    foreign: { conversation_status: 7, reply_window: "long", sender_alias: null, attributes: "none" },
  },
};
