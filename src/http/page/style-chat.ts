/** Inside the phone: header, bubbles, the slim indicator, the composer. */
export const STYLE_CHAT = `
.top { display: flex; align-items: center; gap: 11px; padding: calc(12px + env(safe-area-inset-top)) 14px 11px 16px; background: var(--surface); border-bottom: 1px solid var(--line); z-index: 1; }
.avatar { flex: none; display: grid; place-items: center; width: 38px; height: 38px; border-radius: 50%; color: #fff; background: linear-gradient(150deg, #14897f, #0a5b63); }
.avatar svg { width: 24px; height: 18px; }
.who { flex: 1; min-width: 0; }
.name { font-weight: 620; letter-spacing: -.01em; line-height: 1.25; }
.presence { font-size: 12.5px; color: var(--soft); white-space: nowrap; overflow: hidden; text-overflow: ellipsis; }
.presence.bad { color: var(--amber); }
.quiet { display: flex; align-items: center; gap: 6px; padding: 7px 11px 7px 9px; border: 1px solid var(--line); border-radius: 999px; background: none; font-size: 12.5px; color: var(--soft); cursor: pointer; transition: background .15s, color .15s; }
.quiet:hover { background: var(--chat); color: var(--ink); }
.quiet svg { width: 16px; height: 16px; }

.scroll { flex: 1; overflow-y: auto; overscroll-behavior: contain; padding: 16px 14px 10px; display: flex; flex-direction: column; scrollbar-width: thin; scrollbar-color: var(--line) transparent; }
.scroll:focus-visible { outline-offset: -3px; }
.log { margin-top: auto; display: flex; flex-direction: column; }
.log:empty { display: none; }
.empty { margin: auto auto 0; padding: 0 14px; text-align: center; text-wrap: balance; color: var(--soft); max-width: 340px; }
.empty > svg { width: 56px; height: 42px; margin: 0 auto 12px; color: var(--accent-text); }
.chips { display: flex; flex-wrap: wrap; justify-content: flex-end; gap: 7px; margin-top: 14px; }
.empty:not(.hidden) ~ .chips { justify-content: center; margin: 18px auto auto; max-width: 300px; }
.chips button { padding: 7px 13px; border-radius: 999px; border: 1px solid var(--line); background: var(--surface); color: var(--ink); font-size: 13.5px; cursor: pointer; transition: border-color .15s, transform .1s; }
.chips button:hover { border-color: var(--accent-text); }
.chips button:active { transform: scale(.96); }

.item { display: flex; flex-direction: column; max-width: 80%; margin-top: 2px; animation: rise .22s cubic-bezier(.2, .8, .3, 1); }
.item.still { animation: none; }
.item.out { align-self: flex-end; align-items: flex-end; }
.item.in { align-self: flex-start; align-items: flex-start; }
.item.first { margin-top: 12px; }
.bubble { padding: 8px 13px 8px; border-radius: 19px; white-space: pre-wrap; overflow-wrap: anywhere; position: relative; }
.out .bubble { background: var(--accent); color: var(--accent-ink); border-top-right-radius: 7px; border-bottom-right-radius: 7px; }
.out.first .bubble { border-top-right-radius: 19px; }
.out.last .bubble { border-bottom-right-radius: 19px; }
.in .bubble { background: var(--theirs); border: 1px solid var(--theirs-line); padding: 7px 12px; border-top-left-radius: 7px; border-bottom-left-radius: 7px; }
.in.first .bubble { border-top-left-radius: 19px; }
.in.last .bubble { border-bottom-left-radius: 19px; }
.out.waiting .bubble { background: color-mix(in srgb, var(--accent) 84%, var(--chat)); }
.out.refused .bubble { background: none; color: var(--ink); box-shadow: inset 0 0 0 1.5px var(--red); }
.tick { float: right; margin: 6px -4px -3px 8px; color: var(--on-accent-soft); }
.tick svg { width: 15px; height: 15px; }
.tick[data-tick="checks"] svg { width: 18px; }
.refused .tick { color: var(--red); }
.note { font-size: 11.5px; color: var(--faint); padding: 3px 6px 0; }
.refused .note { color: var(--red); }
.rule { display: flex; align-items: center; gap: 10px; align-self: stretch; margin: 18px 0 4px; font-size: 11.5px; color: var(--faint); }
.rule::before, .rule::after { content: ""; flex: 1; height: 1px; background: var(--line); }

.typing { align-self: flex-start; display: flex; gap: 5px; margin-top: 12px; padding: 13px 15px; border-radius: 19px; background: var(--theirs); border: 1px solid var(--theirs-line); animation: rise .22s; }
.typing i { width: 7px; height: 7px; border-radius: 50%; background: var(--faint); animation: dot 1.2s infinite ease-in-out; }
.typing i:nth-child(2) { animation-delay: .16s; }
.typing i:nth-child(3) { animation-delay: .32s; }

.state { position: relative; display: flex; align-items: center; gap: 8px; height: 0; padding: 0 18px; overflow: hidden; font-size: 12.5px; font-variant-numeric: tabular-nums; color: var(--soft); background: var(--surface); transition: height .2s ease; }
.state:not([data-state="idle"]) { height: 32px; border-top: 1px solid var(--line); }
.state svg { width: 20px; height: 15px; color: var(--accent-text); flex: none; }
.state #state-count { margin-left: auto; color: var(--faint); white-space: nowrap; }
.state #state-text { white-space: nowrap; overflow: hidden; text-overflow: ellipsis; }
.state #state-bar { position: absolute; left: 0; bottom: 0; height: 2px; width: 100%; background: var(--accent-text); transform-origin: left; transform: scaleX(0); }
.state[data-state="gathering"] svg { animation: calm 1.6s infinite ease-in-out; }
.state[data-state="answering"] #state-bar { transform: none; width: 34%; animation: run 1.3s infinite ease-in-out; border-radius: 2px; }
.state[data-state="trouble"] { background: var(--amber-soft); color: var(--amber); }
.state[data-state="trouble"] svg, .state[data-state="trouble"] #state-count { color: inherit; }

.composer { display: flex; align-items: flex-end; gap: 9px; padding: 10px 12px calc(12px + env(safe-area-inset-bottom)) 14px; background: var(--surface); border-top: 1px solid var(--line); }
.state:not([data-state="idle"]) + .composer { border-top-color: transparent; }
.composer textarea { flex: 1; min-width: 0; resize: none; max-height: 124px; padding: 8px 15px; border: 1px solid var(--line); border-radius: 20px; background: var(--chat); color: var(--ink); font: 400 16px/1.4 var(--sans); outline: none; transition: border-color .15s; scrollbar-width: thin; }
.composer textarea::placeholder { color: var(--faint); }
.composer textarea:focus { border-color: var(--accent-text); }
.send { flex: none; display: grid; place-items: center; width: 40px; height: 40px; border: 0; border-radius: 50%; background: var(--accent); color: var(--accent-ink); cursor: pointer; transition: opacity .15s, transform .1s; }
.send svg { width: 20px; height: 20px; }
.send:disabled { opacity: .38; cursor: default; }
.send:not(:disabled):active { transform: scale(.93); }

@keyframes rise { from { opacity: 0; transform: translateY(7px); } }
@keyframes dot { 0%, 60%, 100% { opacity: .35; transform: none; } 30% { opacity: 1; transform: translateY(-3px); } }
@keyframes calm { 50% { transform: scaleY(.45); } }
@keyframes run { from { left: -34%; } to { left: 100%; } }
@media (min-width: 640px) { .screen .top { padding-top: 16px; } .screen .composer { padding-bottom: 16px; } }
`;
