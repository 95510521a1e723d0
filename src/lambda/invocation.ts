/** What every handler is given beside its event. */
export interface LambdaContext {
  /** Until this function is killed, wherever it is. */
  getRemainingTimeInMillis(): number;
  readonly awsRequestId?: string;
  readonly functionName?: string;
}

/** A message of a queue, as the event source mapping hands it in. */
export interface SqsRecord {
  readonly messageId: string;
  readonly receiptHandle: string;
  readonly body: string;
  readonly eventSourceARN?: string;
  readonly attributes?: { readonly ApproximateReceiveCount?: string };
}

export interface SqsEvent {
  readonly Records: readonly SqsRecord[];
}

/** The messages that have to come again. The others are deleted. */
export interface SqsBatchResponse {
  batchItemFailures: { itemIdentifier: string }[];
}
