export const PRICES = "Are you open on Sunday?";
export const VISITOR = "visitor-0001";

/** What each of them says, line by line. */
export interface Said {
  readonly customer: readonly string[];
  readonly page: readonly string[];
  readonly log: readonly string[];
  readonly status: readonly string[];
  readonly show: readonly string[];
  readonly doctor: readonly string[];
}
