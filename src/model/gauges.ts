/** What alarms are about. Asked again and again, so it must be cheap however much is stored. */
export interface Gauges {
  readonly dead: number;
  readonly unknown: number;
  /** Rows that Lull did not write and that were set aside. */
  readonly quarantined: number;
  /** Messages that wait for their turn. Left out where counting them is not cheap. */
  readonly staged?: number;
  /** Leases that lapsed and that no worker has taken since. */
  readonly staleLeases: number;
  /** When the oldest current lease was taken. */
  readonly oldestLeaseAtMs?: number;
  /** Whether all is paused. */
  readonly paused: boolean;
}
