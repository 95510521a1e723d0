import { paginateScan } from "@aws-sdk/client-dynamodb";
import { unmarshall } from "@aws-sdk/util-dynamodb";
import { awsResources } from "../../tools/aws-local/aws-resources.ts";
import type { Emulators } from "../../tools/aws-local/emulators.ts";
import type { ChaosStore, Kept } from "../chaos/run-chaos.ts";

/** Items of the messages table begin with their kind. */
const KINDS = { said: "m#", record: "t#", deadMessage: "dm#", unknown: "u#" };

/** Tables and queues for a chaos run; in the end they are read with plain scans, past the engine. */
export async function chaosStore(emulators: Emulators): Promise<ChaosStore> {
  const { prefix, env } = await awsResources(emulators);
  return { env, slower: 5, kept: () => kept(emulators, `${prefix}conversations-messages`) };
}

async function kept(emulators: Emulators, TableName: string): Promise<Kept> {
  const client = emulators.dynamodb();
  const items: Record<string, unknown>[] = [];
  for await (const { Items = [] } of paginateScan({ client }, { TableName, ConsistentRead: true }))
    items.push(...Items.map((item) => unmarshall(item)));
  client.destroy();
  const of = (kind: string) => items.filter(({ item_id }) => String(item_id).startsWith(kind));
  return {
    turns: [...of(KINDS.said), ...of(KINDS.record)]
      .filter(({ outcome }) => outcome !== undefined)
      .map((item) => ({ messageIds: messageIdsIn(item) })),
    dead: of(KINDS.deadMessage).map(({ row }) => ({
      messageIds: [String((row as Record<string, unknown>).message_sid)],
    })),
    unknown: of(KINDS.unknown).map(({ body }) => ({ text: String(body) })),
  };
}

/** A turn lists its message ids only where they differ from the ids of what was said in it. */
function messageIdsIn({ message_ids, parts, before }: Record<string, unknown>): string[] {
  const sides = [...((before ?? []) as Side[]), { parts } as Side];
  return (
    (message_ids as string[] | undefined) ?? sides.flatMap(({ parts = [] }) => parts.map(({ id }) => id))
  );
}

interface Side {
  readonly parts?: readonly { readonly id: string }[];
}
