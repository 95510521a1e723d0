import type { ConfiguredChannel } from "../../../config/channels.ts";
import type { Loaded } from "../../../config/load.ts";
import type { CreateRequest } from "../../../runtime/create-conversation.ts";
import { type WindowConfig, windowPolicy } from "../../../runtime/window-config.ts";
import { didYouMean } from "../../../schema/suggest.ts";
import { type Call, type Command, requiredOption, textOption } from "../../command.ts";
import { type Opened, withData } from "../../data.ts";
import { printResult } from "../../output/print.ts";
import { UsageError } from "../../usage-error.ts";

export const create: Command = {
  usage: "--channel NAME --sender ADDRESS [options]",
  about:
    "Creates a conversation, or finds the active one of the same customer: " +
    "what `admission: known` needs before a customer may write. " +
    "With --text the service says it as the first message.",
  options: {
    channel: { type: "string", value: "NAME", help: "name of a configured channel" },
    sender: { type: "string", value: "ADDRESS", help: "the customer: +15550123, a mail address, a user id" },
    address: { type: "string", value: "ADDRESS", help: "our address that they write to (the channel's own)" },
    text: { type: "string", value: "TEXT", help: "first message, said once" },
    attributes: { type: "string", value: "JSON", help: "data of your own, as a JSON object" },
    "window-seconds": { type: "string", value: "N", help: "a window of its own for this conversation" },
  },
  examples: [
    'lull conversations create --channel whatsapp --sender +15550123 --text "Hello! How can I help?"',
  ],
  run: (call) =>
    withData(call, (opened) => createOne(call, opened), {
      mayCreate: true,
      check: (loaded) => void wanted(call, loaded),
    }),
};

async function createOne(call: Call, { lull, loaded }: Opened): Promise<number> {
  const result = await lull.createConversation(wanted(call, loaded));
  const { id } = result.conversation;
  printResult(call, result, result.created ? `${id} was created` : `${id} was there already`);
  return 0;
}

function wanted(call: Call, { channels }: Loaded): CreateRequest {
  const channel = namedChannel(call, channels);
  const firstMessage = textOption(call, "text");
  return {
    channel: channel.name,
    address: addressOf(call, channel),
    sender: requiredOption(call, "sender", "who is the customer?"),
    ...windowOf(call),
    ...attributesOf(call),
    ...(firstMessage !== undefined && { firstMessage }),
    author: "cli",
  };
}

function namedChannel(call: Call, channels: readonly ConfiguredChannel[]): ConfiguredChannel {
  const names = channels.map(({ name }) => name);
  const name = requiredOption(call, "channel", `one of ${names.join(", ")}`);
  const found = channels.find((channel) => channel.name === name);
  if (found) return found;
  throw new UsageError(
    `there is no channel ${name}${didYouMean(name, names) || `; there are ${names.join(", ")}`}`,
  );
}

function addressOf(call: Call, { name, addresses }: ConfiguredChannel): string {
  const [only, ...others] = addresses;
  const given = textOption(call, "address");
  if (given !== undefined) return given;
  if (only !== undefined && others.length === 0) return only;
  throw new UsageError(`--address is needed: which address of channel ${name} does the customer write to?`);
}

function windowOf(call: Call): { window?: WindowConfig } {
  const given = textOption(call, "window-seconds");
  if (given === undefined) return {};
  const window = { seconds: Number(given) };
  // In the words of the command line, and before anything is opened.
  windowPolicy(window, "--window-seconds");
  return { window };
}

function attributesOf(call: Call): { attributes?: Record<string, unknown> } {
  const given = textOption(call, "attributes");
  if (given === undefined) return {};
  try {
    const attributes: unknown = JSON.parse(given);
    if (typeof attributes === "object" && attributes !== null && !Array.isArray(attributes)) {
      return { attributes: attributes as Record<string, unknown> };
    }
  } catch {
    // Reported below, like everything else that is not an object.
  }
  throw new UsageError('--attributes must be a JSON object: --attributes \'{"plan":"pro"}\'');
}
