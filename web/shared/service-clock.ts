/** The machine's time, handed in: a test says itself what time it is. */
export interface Clock {
  nowMs(): number;
  /** Runs once, unless it is stopped before. */
  after(delayMs: number, run: () => void): () => void;
}

/** A page shows what happened here and in the service in one list: it needs both times. */
export interface ServiceClock extends Clock {
  /** The service's time, as far as the page knows it. */
  serviceNowMs(): number;
  /** What the service's clock said, in an answer to what was asked at this time of the browser's. */
  learn(serviceNow: string, askedAtMs: number): void;
}

export function createServiceClock(own: Clock): ServiceClock {
  let aheadMs = 0;
  return {
    ...own,
    serviceNowMs: () => own.nowMs() + aheadMs,
    learn(serviceNow, askedAtMs) {
      // It was said about halfway between the question and now.
      aheadMs = Date.parse(serviceNow) - (askedAtMs + own.nowMs()) / 2;
    },
  };
}
