import type { Listing, Page, QuarantinedRow } from "../../../ports/inspector.ts";
import type { StepContext } from "../context.ts";
import type { StrayRow } from "../tables.ts";

export function listQuarantined(context: StepContext, page: Page): Listing<QuarantinedRow> {
  return context.tables.quarantine.list(page);
}

export function quarantine(context: StepContext, rows: readonly StrayRow[]): void {
  context.tables.quarantine.add(rows);
}

export function discardQuarantined(context: StepContext, id: string): "discarded" | "not-found" {
  return context.tables.quarantine.discard(id) ? "discarded" : "not-found";
}
