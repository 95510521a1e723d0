import type { SendMessageCommandInput, SQSClient } from "@aws-sdk/client-sqs";

interface Held {
  readonly wakeAtMs: number;
  readonly conversationId: string;
  readonly release: () => Promise<unknown>;
}

/**
 * Delays by the test's clock instead of the machine's: what is sent waits here and goes to the real queue, without a delay, when its
 * time has come. SQS itself counts whole seconds of real time.
 */
export class HeldTriggers {
  #held: Held[] = [];

  /** Everything that this client sends from now on waits. */
  hold(client: SQSClient): void {
    client.middlewareStack.add(
      (next, context) => async (args) => {
        if (context.commandName !== "SendMessageCommand") return next(args);
        const input = args.input as SendMessageCommandInput;
        const { wake_at_ms: wakeAtMs, conversation_id: conversationId } = JSON.parse(input.MessageBody ?? "");
        const release = () => next({ ...args, input: { ...input, DelaySeconds: 0 } });
        this.#held.push({ wakeAtMs, conversationId, release });
        return { response: {}, output: { $metadata: {}, MessageId: "held" } };
      },
      { step: "initialize", name: "holdTriggers" },
    );
  }

  get waiting(): readonly Held[] {
    return this.#held;
  }

  /** Sends what is due, earliest first. */
  async releaseDue(nowMs: number): Promise<void> {
    const due = this.#held.filter(({ wakeAtMs }) => wakeAtMs <= nowMs);
    this.#held = this.#held.filter(({ wakeAtMs }) => wakeAtMs > nowMs);
    for (const { release } of due.sort((a, b) => a.wakeAtMs - b.wakeAtMs)) await release();
  }

  /** Loses every trigger of a conversation. */
  drop(conversationId: string): void {
    this.#held = this.#held.filter((held) => held.conversationId !== conversationId);
  }
}
