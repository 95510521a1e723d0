/** Beside the phone, on wide screens: what it is, and what happens. */
export const STYLE_PANEL = `
.brand { display: flex; align-items: center; gap: 11px; font-size: 17px; font-weight: 650; letter-spacing: -.01em; color: var(--accent-text); }
.brand svg { width: 34px; height: 26px; }
.lead { font-size: clamp(23px, 2.1vw, 29px); line-height: 1.24; font-weight: 600; letter-spacing: -.022em; text-wrap: balance; }
.panel { flex: 1; min-height: 0; display: flex; flex-direction: column; margin-top: 4px; border: 1px solid var(--line); border-radius: 20px; background: var(--surface); overflow: hidden; }
.panel header { display: flex; align-items: baseline; justify-content: space-between; gap: 12px; padding: 15px 20px 12px; border-bottom: 1px solid var(--line); }
.panel h2 { font-size: 14px; font-weight: 620; }
.tally { font-size: 12.5px; color: var(--soft); font-variant-numeric: tabular-nums; }
.none { padding: 18px 20px; color: var(--soft); font-size: 13.5px; }
.events { flex: 1; min-height: 0; overflow-y: auto; list-style: none; padding: 10px 20px 14px; scrollbar-width: thin; scrollbar-color: var(--line) transparent; }
.events:empty { display: none; }
.event { display: grid; grid-template-columns: 62px 9px 1fr; gap: 11px; align-items: baseline; padding: 4px 0; font-size: 13.5px; position: relative; }
.event time { font: 400 12px/1.5 var(--mono); color: var(--faint); font-variant-numeric: tabular-nums; }
.event .dot { width: 9px; height: 9px; border-radius: 50%; border: 2px solid var(--faint); background: var(--surface); transform: translateY(1px); z-index: 1; }
.event:not(:last-child)::before { content: ""; position: absolute; left: 76.5px; top: 17px; bottom: -9px; width: 2px; background: var(--line); }
.event .what { min-width: 0; }
.event .what b { font-weight: 600; }
.event .what span { color: var(--soft); overflow-wrap: anywhere; }
.event[data-kind="window"] .dot { border-color: var(--amber); }
.event[data-kind="staged"] .dot { border-color: var(--accent-text); }
.event[data-kind="taken"] .dot { border-color: var(--accent-text); background: var(--accent-soft); }
.event[data-kind="committed"] .dot { border-color: var(--accent-text); background: var(--accent-text); }
.event[data-kind="trouble"] .dot { border-color: var(--red); background: var(--red); }
.event[data-kind="committed"]:not(:first-child) { margin-top: 9px; }
.tip { font-size: 13px; color: var(--soft); }
`;
