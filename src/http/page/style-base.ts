/** Colours, the stage around the phone, and the phone's frame. On a narrow screen the phone is the screen. */
export const STYLE_BASE = `
:root {
  --ground: #e9eeec; --glow-a: #cfe5e0; --glow-b: #f3e3d3;
  --ink: #12201e; --soft: #566764; --faint: #5f706d;
  --line: #dbe3e1; --surface: #ffffff; --chat: #f3f6f5;
  --accent: #0b6b66; --accent-text: #0b6b66; --accent-ink: #ffffff; --accent-soft: #d9ecea; --on-accent-soft: #bfe3df;
  --theirs: #ffffff; --theirs-line: #e1e8e6;
  --amber: #8a5200; --amber-soft: #fdf0dc; --red: #a8261e;
  --bezel: #1a2322; --shadow: 0 30px 70px -24px rgb(14 40 37 / .45), 0 8px 20px -10px rgb(14 40 37 / .25);
  --sans: system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", "Noto Sans", "DejaVu Sans", sans-serif;
  --mono: ui-monospace, "SF Mono", "Cascadia Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace;
}
@media (prefers-color-scheme: dark) { :root {
  --ground: #0a1110; --glow-a: #10302c; --glow-b: #221a14;
  --ink: #e7efed; --soft: #9fb0ad; --faint: #8b9d9a;
  --line: #24312f; --surface: #141e1d; --chat: #0e1615;
  --accent: #12786f; --accent-text: #4cc0b3; --accent-ink: #ffffff; --accent-soft: #16302d; --on-accent-soft: #bfe9e4;
  --theirs: #1d2927; --theirs-line: #283634;
  --amber: #f0b562; --amber-soft: #2c2213; --red: #ff9b90;
  --bezel: #232f2d; --shadow: 0 30px 80px -20px rgb(0 0 0 / .8);
} }
*, *::before, *::after { box-sizing: border-box; }
html, body { height: 100%; margin: 0; }
body { font: 400 15px/1.42 var(--sans); color: var(--ink); background: var(--surface); -webkit-text-size-adjust: 100%; }
p, h1, h2, ol { margin: 0; padding: 0; }
button { font: inherit; color: inherit; }
svg { display: block; }
.hidden { display: none !important; }
.heard { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
:focus-visible { outline: 2px solid var(--accent-text); outline-offset: 2px; }

.stage { height: 100dvh; }
.aside { display: none; }
.phone, .screen { height: 100%; }
.screen { display: flex; flex-direction: column; background: var(--chat); position: relative; overflow: hidden; }

@media (min-width: 640px) {
  body {
    background-color: var(--ground);
    background-image: radial-gradient(60rem 40rem at 12% -10%, var(--glow-a), transparent 70%), radial-gradient(50rem 36rem at 100% 110%, var(--glow-b), transparent 70%);
    background-attachment: fixed;
  }
  .stage { display: grid; place-items: center; padding: 24px; }
  .phone {
    width: 404px; height: min(820px, 100dvh - 48px);
    padding: 9px; border-radius: 46px; background: var(--bezel); box-shadow: var(--shadow);
  }
  .screen { border-radius: 37px; }
}
@media (min-width: 960px) {
  .stage { grid-template-columns: minmax(320px, 440px) 404px; justify-content: center; gap: clamp(40px, 7vw, 104px); padding: 24px 40px; }
  .aside { display: flex; flex-direction: column; gap: 20px; width: 100%; height: min(820px, 100dvh - 48px); padding: 12px 0; }
}
@media (prefers-reduced-motion: reduce) {
  *, *::before, *::after { animation: none !important; transition: none !important; }
}
`;
