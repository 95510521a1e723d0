// app/api/turns/route.ts of a Next app on Vercel; any server that speaks Request and Response does.
import { createHmac, timingSafeEqual } from "node:crypto";
import { openai } from "@ai-sdk/openai";
import { generateText } from "ai";

/** Of what Lull posts, what is used here. */
interface Posted {
  readonly turn: { readonly id: string; readonly text: string };
  readonly history: readonly { readonly role: "user" | "assistant"; readonly text: string }[];
}

export const maxDuration = 60; // seconds that Vercel gives it: no more than Lull's answerTimeoutSeconds

export async function POST(request: Request): Promise<Response> {
  const body = Buffer.from(await request.arrayBuffer());
  if (!isFromLull(body, request.headers.get("x-lull-signature") ?? ""))
    return new Response("not from Lull", { status: 401 });
  const { turn, history }: Posted = JSON.parse(body.toString());
  const answer = await generateText({
    model: openai("gpt-6-luna"),
    instructions: "You take bookings for the Blue Door. Be brief.",
    messages: [
      ...history.map(({ role, text: content }) => ({ role, content })),
      { role: "user" as const, content: turn.text },
    ],
    maxRetries: 0,
    abortSignal: request.signal,
  }).catch((error: unknown) => console.error(error));
  // Lull tries again after a 503, for half an hour.
  return answer ? Response.json({ text: answer.text }) : new Response("no answer", { status: 503 });
}

function isFromLull(body: Buffer, signature: string): boolean {
  const secret = process.env.TURNS_SECRET;
  if (!secret) throw new Error("TURNS_SECRET is not set");
  const expected = Buffer.from(`sha256=${createHmac("sha256", secret).update(body).digest("hex")}`);
  const given = Buffer.from(signature);
  return given.length === expected.length && timingSafeEqual(given, expected);
}
