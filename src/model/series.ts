/**
 * What was counted, by series: `lull_turns_committed_total{outcome="replied"}`. All of a service's processes
 * are added up by adding these up.
 */
export type Series = Readonly<Record<string, number>>;
