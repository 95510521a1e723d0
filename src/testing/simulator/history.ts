import type { Taken } from "../../model/take.ts";

/** What happened, as an outside observer could have seen it. Checks look at this and at nothing else. */
export type Happened =
  | {
      readonly kind: "arrived";
      readonly message: string;
      readonly customer: string;
      readonly process: string;
      /** Counts the deliveries of the provider, of any message. */
      readonly delivery: number;
    }
  | { readonly kind: "acknowledged"; readonly message: string; readonly delivery: number }
  | {
      readonly kind: "refused";
      readonly message: string;
      readonly delivery: number;
      readonly status: number;
    }
  /** An error, or a dead receiver: the provider sends again. */
  | { readonly kind: "unanswered"; readonly message: string; readonly delivery: number }
  | { readonly kind: "taken"; readonly taken: Taken; readonly holder: string }
  | {
      readonly kind: "asked";
      readonly turn: string;
      readonly attempt: number;
      readonly messages: readonly string[];
      readonly arrivals: readonly number[];
    }
  | {
      readonly kind: "sent";
      readonly turn: string;
      readonly chunk: number;
      readonly to: string;
      readonly process: string;
      readonly token: string;
    }
  /** The provider was asked what became of a chunk, whatever it said. */
  | { readonly kind: "asked-about"; readonly turn: string; readonly chunk: number }
  | { readonly kind: "fault"; readonly step: string; readonly fault: string; readonly process: string }
  | { readonly kind: "crashed"; readonly process: string }
  | { readonly kind: "started"; readonly process: string }
  /** The runtime told that a send was, or may have been, later than its time. */
  | { readonly kind: "told-late"; readonly turn: string; readonly chunk: number; readonly process: string }
  /** A sweep found staged messages that no worker would have looked at. */
  | { readonly kind: "orphans"; readonly count: number; readonly sweptFromMs: number }
  | { readonly kind: "note"; readonly text: string };

export type Event = Happened & { readonly atMs: number };

export class History {
  readonly events: Event[] = [];
  readonly #nowMs: () => number;

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  add(happened: Happened): void {
    this.events.push({ ...happened, atMs: this.#nowMs() });
  }

  of<K extends Happened["kind"]>(kind: K): Extract<Event, { kind: K }>[] {
    return this.events.filter((event) => event.kind === kind) as Extract<Event, { kind: K }>[];
  }
}
