import type { APIGatewayProxyEventV2, SQSEvent } from "aws-lambda";
import { CONTROLS, INSTALLATION, PING } from "../../../src/engines/aws/items/keys.ts";
import type { Emulators } from "../../../tools/aws-local/emulators.ts";
import type { Environment } from "../../../tools/aws-local/function-instance.ts";
import type { FunctionName, LocalAws } from "../../../tools/aws-local/local-aws.ts";
import { type AwsProxy, type AwsRequest, startProxy } from "../proxy.ts";

/** A request of a function to DynamoDB or SQS, counted from 1 in each of its events. */
interface Step {
  readonly n: number;
  /** `PutItem conversations-stage`, `SendMessage`, ... */
  readonly name: string;
}

/**
 * Kills function instances in the middle of their work. Each has a proxy of its own in front of AWS, so that
 * it is known whose request it is and which customer's event it works on. It dies when a request has taken
 * effect and it has not heard of it.
 */
export class Deaths {
  readonly #emulators: Emulators;
  readonly #proxies: AwsProxy[] = [];
  readonly #counts = new WeakMap<object, number>();
  readonly #planned = new Map<string, number>();
  /** Addresses, by conversation. */
  readonly #customers = new Map<string, string>();
  readonly #steps = new Map<string, Step[]>();
  aws: LocalAws | undefined;

  constructor(emulators: Emulators) {
    this.#emulators = emulators;
  }

  /** For `startLocalAws`. */
  readonly envOf = async (of: FunctionName, instance: number): Promise<Environment> => {
    const proxy = await startProxy(this.#emulators.endpoint, {
      onRequest: (request) => {
        this.#learn(request);
        return this.#comes(of, instance) ? "pass" : "reset";
      },
      onAnswered: (request) => {
        if (!isForAll(request)) this.#answered(of, instance, nameOf(request));
      },
    });
    this.#proxies.push(proxy);
    return { AWS_ENDPOINT_URL_DYNAMODB: proxy.url, AWS_ENDPOINT_URL_SQS: proxy.url };
  };

  /**
   * Once: when the customer's event has made `n` requests; for 0 at its first request, before that takes
   * effect.
   */
  plan(of: FunctionName, n: number, customer?: number): void {
    this.#planned.set(whoIs(of, customer), n);
  }

  /** Deaths that did not happen: the event is yet to come, or made fewer requests than planned. */
  get left(): string[] {
    return [...this.#planned.keys()];
  }

  /** What the customer's first event asked of AWS. */
  stepsOf(of: FunctionName, customer: number): readonly string[] {
    const steps = this.#steps.get(whoIs(of, customer)) ?? [];
    const next = steps.findIndex(({ n }, at) => at > 0 && n === 1);
    return steps.slice(0, next === -1 ? steps.length : next).map(({ name }) => name);
  }

  /** The instance that works on this customer now. */
  kill(of: FunctionName, customer: number): void {
    const who = whoIs(of, customer);
    for (const instance of this.aws?.functions[of].busy ?? []) {
      if (this.#whoIsIn(of, instance.event) === who) instance.kill();
    }
  }

  async close(): Promise<void> {
    await Promise.all(this.#proxies.map((proxy) => proxy.close()));
  }

  #whoIsIn(of: FunctionName, event: unknown): string {
    const address = of === "worker" ? this.#customerOfBatch(event) : customerOfWebhook(event);
    return address === undefined ? of : `${of} ${address}`;
  }

  /** A trigger names its conversation but no customer: the customer was seen when the message was staged. */
  #customerOfBatch(event: unknown): string | undefined {
    const [record] = (event as SQSEvent | undefined)?.Records ?? [];
    const { conversation_id: id } = JSON.parse(record?.body ?? "{}") as { conversation_id?: string };
    return id === undefined ? undefined : this.#customers.get(id);
  }

  #learn({ input }: AwsRequest): void {
    const { conversation_id: id, primary_channel: customer } = (input.Item ?? {}) as Record<
      string,
      { S?: string }
    >;
    if (id?.S !== undefined && customer?.S !== undefined) this.#customers.set(id.S, customer.S);
  }

  #comes(of: FunctionName, instance: number): boolean {
    const who = this.#whoIsIn(of, this.aws?.functions[of].instances.get(instance)?.event);
    if (this.#planned.get(who) === 0) this.#die(of, instance, who);
    return this.aws?.functions[of].instances.get(instance)?.isDead !== true;
  }

  #answered(of: FunctionName, instance: number, name: string): void {
    const event = this.aws?.functions[of].instances.get(instance)?.event;
    if (typeof event !== "object" || event === null) return;
    const n = (this.#counts.get(event) ?? 0) + 1;
    this.#counts.set(event, n);
    const who = this.#whoIsIn(of, event);
    this.#steps.set(who, [...(this.#steps.get(who) ?? []), { n, name }]);
    if (this.#planned.get(who) === n) this.#die(of, instance, who);
  }

  #die(of: FunctionName, instance: number, who: string): void {
    this.#planned.delete(who);
    this.aws?.functions[of].instances.get(instance)?.kill();
  }
}

export function addressOf(customer: number): string {
  return `+503700${String(customer).padStart(5, "0")}`;
}

/**
 * What an instance reads for all of its events belongs to no customer's work, and a later event goes without:
 * the installation's secret, once; what operators have set, once a second.
 */
function isForAll({ input }: AwsRequest): boolean {
  const asked = JSON.stringify(input);
  return [CONTROLS, INSTALLATION, PING].some((id) => asked.includes(JSON.stringify(id)));
}

function nameOf({ name, input: { TableName } }: AwsRequest): string {
  const table = /conversations.*$/.exec(String(TableName))?.[0];
  return table === undefined ? name : `${name} ${table}`;
}

/** A function and the customer whose event it works on. The sweeper's events have no customer. */
function whoIs(of: FunctionName, customer: number | undefined): string {
  return customer === undefined ? of : `${of} ${addressOf(customer)}`;
}

function customerOfWebhook(event: unknown): string | undefined {
  const { body = "" } = (event ?? {}) as Partial<APIGatewayProxyEventV2>;
  const from = new URLSearchParams(Buffer.from(body, "base64").toString()).get("From");
  return from?.replace("whatsapp:", "");
}
