import type { Turn } from "../../ports/responder.ts";

/** Something the model may call. */
export interface OpenAiTool {
  readonly description: string;
  /** JSON schema of the arguments. */
  readonly parameters: Readonly<Record<string, unknown>>;
  /** Holds the model to the schema; the schema must then follow OpenAI's rules for strict ones. */
  readonly strict?: boolean;
  /**
   * What it returns is shown to the model: a text as it is, anything else as JSON. What it throws fails the
   * turn, which is asked again as a whole, so a tool that changes something should do it once per `turn.id`.
   */
  run(args: Record<string, unknown>, turn: Turn): unknown;
}

export type OpenAiTools = Readonly<Record<string, OpenAiTool>>;

export interface ToolCall {
  readonly id: string;
  readonly name: string;
  /** JSON, as the model wrote it. */
  readonly arguments: string;
}

/** How the tools are told to the model. */
export function describeTools(tools: OpenAiTools): readonly Record<string, unknown>[] {
  return Object.entries(tools).map(([name, { description, parameters, strict }]) => {
    return { type: "function", name, description, parameters, strict: strict ?? false };
  });
}

/**
 * Runs the calls of one response side by side: the model asks for calls together when none needs another's
 * result.
 */
export function runTools(
  tools: OpenAiTools,
  calls: readonly ToolCall[],
  turn: Turn,
): Promise<readonly Record<string, unknown>[]> {
  return Promise.all(
    calls.map(async (call) => {
      return { type: "function_call_output", call_id: call.id, output: await outputOf(tools, call, turn) };
    }),
  );
}

/** The model is told of its own mistakes (no such tool, broken arguments), because it can correct them. */
async function outputOf(tools: OpenAiTools, call: ToolCall, turn: Turn): Promise<string> {
  const tool = Object.hasOwn(tools, call.name) ? tools[call.name] : undefined;
  if (tool === undefined) return "error: there is no tool of this name";
  const args = parsedArguments(call.arguments);
  if (args === undefined) return "error: the arguments are not a JSON object";
  const result = await tool.run(args, turn);
  return typeof result === "string" ? result : (JSON.stringify(result) ?? "done");
}

function parsedArguments(json: string): Record<string, unknown> | undefined {
  try {
    const args: unknown = JSON.parse(json || "{}");
    return typeof args === "object" && args !== null && !Array.isArray(args)
      ? (args as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}
