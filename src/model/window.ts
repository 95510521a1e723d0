/**
 * A window is the time in which messages gather.
 *
 *   fixed:  W from the first message                      |m1 . m2 . . . m3 . |due
 *   quiet:  until `quiet` without a message, or `max`     |m1 . m2 . . m3 . . quiet|due
 *
 * Windows go by our own arrival times: a provider's clock can be off by minutes.
 */
export type WindowPolicy =
  | { readonly kind: "fixed"; readonly lengthMs: number }
  | { readonly kind: "quiet"; readonly quietMs: number; readonly maxMs: number };
