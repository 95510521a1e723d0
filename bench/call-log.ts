/** One request to the fake OpenAI: the messages of a turn, as they stood in it. */
export interface Asked {
  readonly messages: readonly number[];
  readonly startedAtMs: number;
  readonly endedAtMs: number;
}

/** One request to the fake Twilio. `answer` is the place in the list of what was asked. */
export interface Sent {
  readonly answer: number;
  readonly to: string;
  readonly startedAtMs: number;
  readonly endedAtMs: number;
}

export interface CallLog {
  readonly asked: readonly Asked[];
  readonly sent: readonly Sent[];
}
