import type { APIGatewayProxyEventV2, Context, SQSBatchResponse, SQSEvent } from "aws-lambda";

/** What a test asks of an instance. */
export interface Wish {
  readonly does?: "answer" | "throw" | "hang" | "exit";
  readonly value?: unknown;
}

const pid = process.pid;

export async function wish({ does = "answer", value }: Wish, context: Context): Promise<unknown> {
  if (does === "throw") throw new TypeError(String(value));
  if (does === "exit") process.exit(3);
  if (does === "hang") await new Promise((never) => setTimeout(never, 1_000_000));
  const { functionName, awsRequestId } = context;
  return { value, pid, functionName, awsRequestId, remainingMs: context.getRemainingTimeInMillis() };
}

/** Tells what it was given; a body that names an answer gets it. */
export async function reflect(event: APIGatewayProxyEventV2): Promise<unknown> {
  if (event.rawPath === "/throws") throw new Error("secret");
  if (event.rawPath === "/hangs") await new Promise((never) => setTimeout(never, 1_000_000));
  if (event.rawPath === "/answers") return JSON.parse(event.body ?? "");
  return { statusCode: 200, headers: { "Content-Type": "application/json" }, body: JSON.stringify(event) };
}

/** Does to a batch what its bodies say. */
export async function batch({ Records }: SQSEvent): Promise<SQSBatchResponse | string> {
  const bodies = Records.map(({ body }) => body);
  console.log(JSON.stringify({ bodies, pid, records: Records }));
  if (bodies.includes("throw")) throw new Error("all of it");
  if (bodies.includes("exit")) process.exit(1);
  if (bodies.includes("malformed")) return "what?";
  if (bodies.includes("slow")) await new Promise((done) => setTimeout(done, 300));
  const failed = Records.filter(({ body }) => body.startsWith("fail"));
  return { batchItemFailures: failed.map(({ messageId }) => ({ itemIdentifier: messageId })) };
}
