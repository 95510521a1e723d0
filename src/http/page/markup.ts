interface Parts {
  /** Lower-case letters, digits and dashes: safe in an attribute. */
  readonly channel: string;
  readonly style: string;
  readonly script: string;
}

/** A line that is rough at first and then calm. */
const WAVE = "M2 12c2.2 0 2.2-7 4.4-7s2.2 14 4.4 14S13 8 15.2 8s1.9 6 3.8 6 1.4-2 3-2h8";

const ICON = `data:image/svg+xml,${encodeURIComponent(
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="8" fill="#0b6b66"/>` +
    `<path transform="translate(0 4)" d="${WAVE}" fill="none" stroke="#fff" stroke-width="2.4" stroke-linecap="round"/></svg>`,
)}`;

const SYMBOLS = `
<svg width="0" height="0" class="hidden" aria-hidden="true" focusable="false"><defs>
  <symbol id="i-wave" viewBox="0 0 32 24"><path d="${WAVE}" fill="none" stroke="currentColor" stroke-width="2.2" stroke-linecap="round" stroke-linejoin="round"/></symbol>
  <symbol id="i-clock" viewBox="0 0 16 16"><circle cx="8" cy="8" r="5.6" fill="none" stroke="currentColor" stroke-width="1.4"/><path d="M8 5v3.2l2 1.2" fill="none" stroke="currentColor" stroke-width="1.4" stroke-linecap="round" stroke-linejoin="round"/></symbol>
  <symbol id="i-check" viewBox="0 0 16 16"><path d="m3.4 8.6 3 3 6.2-6.8" fill="none" stroke="currentColor" stroke-width="1.6" stroke-linecap="round" stroke-linejoin="round"/></symbol>
  <symbol id="i-checks" viewBox="0 0 20 16"><path d="m1.6 8.6 3 3 6.2-6.8M8.6 11l.6.6 6.2-6.8" fill="none" stroke="currentColor" stroke-width="1.6" stroke-linecap="round" stroke-linejoin="round"/></symbol>
  <symbol id="i-alert" viewBox="0 0 16 16"><circle cx="8" cy="8" r="5.8" fill="none" stroke="currentColor" stroke-width="1.4"/><path d="M8 5v3.6M8 10.9v.1" fill="none" stroke="currentColor" stroke-width="1.6" stroke-linecap="round"/></symbol>
  <symbol id="i-send" viewBox="0 0 20 20"><path d="M10 16V4.6M5 9.4l5-5 5 5" fill="none" stroke="currentColor" stroke-width="2" stroke-linecap="round" stroke-linejoin="round"/></symbol>
  <symbol id="i-new" viewBox="0 0 20 20"><path d="M11.5 9.2a3.1 3.1 0 1 0-6.2 0 3.1 3.1 0 0 0 6.2 0ZM2.8 16.6c.6-2.5 2.8-4 5.6-4s5 1.5 5.6 4M16 4.4v5M13.5 6.9h5" fill="none" stroke="currentColor" stroke-width="1.5" stroke-linecap="round" stroke-linejoin="round"/></symbol>
</defs></svg>`;

const PHONE = `
<section class="phone" aria-label="Phone"><div class="screen">
  <header class="top">
    <span class="avatar"><svg aria-hidden="true"><use href="#i-wave"/></svg></span>
    <div class="who"><p class="name">Assistant</p><p class="presence" id="presence">answers after the lull</p></div>
    <button type="button" class="quiet" id="fresh" title="Start over as a new customer"><svg aria-hidden="true"><use href="#i-new"/></svg><span>New customer</span></button>
  </header>
  <div class="scroll" id="scroll" tabindex="0" role="region" aria-label="Messages">
    <div class="empty" id="empty">
      <svg aria-hidden="true"><use href="#i-wave"/></svg>
      <p>Type a few short messages in a row.<br>Lull waits for the lull, then answers once.</p>
    </div>
    <div class="log" id="log" role="log" aria-live="polite" aria-relevant="additions"></div>
    <div class="typing hidden" id="typing" aria-hidden="true"><i></i><i></i><i></i></div>
    <div class="chips" id="chips" role="group" aria-label="Examples"></div>
  </div>
  <div class="state" id="state" data-state="idle">
    <svg aria-hidden="true"><use href="#i-wave"/></svg>
    <span id="state-text" aria-hidden="true"></span><span id="state-count" aria-hidden="true"></span>
    <b id="state-bar" aria-hidden="true"></b>
    <span class="heard" id="state-heard" role="status"></span>
  </div>
  <form class="composer" id="composer" autocomplete="off">
    <label class="heard" for="text">Message</label>
    <textarea id="text" rows="1" maxlength="4000" placeholder="Message" enterkeyhint="send" autocapitalize="sentences"></textarea>
    <button type="submit" class="send" id="send" aria-label="Send" disabled><svg aria-hidden="true"><use href="#i-send"/></svg></button>
  </form>
</div></section>`;

const ASIDE = `
<aside class="aside">
  <p class="brand"><svg aria-hidden="true"><use href="#i-wave"/></svg>Lull</p>
  <p class="lead">Type a few short messages in a row. Lull waits for the lull, then answers once.</p>
  <section class="panel" aria-labelledby="panel-title">
    <header><h2 id="panel-title">What happens</h2><p class="tally" id="tally"></p></header>
    <ol class="events" id="events"></ol>
    <p class="none" id="no-events">Each step of a burst shows up here as it is written down.</p>
  </section>
  <p class="tip">Try this: stop the service in the middle of a burst and start it again. Nothing is lost.</p>
</aside>`;

export function markup({ channel, style, script }: Parts): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>Lull</title>
<meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover, interactive-widget=resizes-content">
<meta name="color-scheme" content="light dark">
<meta name="theme-color" content="#ffffff" media="(prefers-color-scheme: light)">
<meta name="theme-color" content="#141e1d" media="(prefers-color-scheme: dark)">
<link rel="icon" href="${ICON}">
<style>${style}</style>
</head>
<body data-channel="${channel}">
${SYMBOLS}
<main class="stage"><h1 class="heard">Lull</h1>${ASIDE}${PHONE}</main>
<noscript><p class="tip">The phone needs JavaScript.</p></noscript>
<script>${script}</script>
</body>
</html>
`;
}
