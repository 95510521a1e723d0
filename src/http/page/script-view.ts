/** Draws the phone. Elements are kept by key, so that a bubble that stays is never drawn twice. */
export const SCRIPT_VIEW = String.raw`
function byId(id) { return document.getElementById(id); }
var scroll = byId("scroll"), logBox = byId("log"), stateBox = byId("state");
var drawn = new Map();
var firstDraw = true;
/** Whether the newest message is in sight. Whoever scrolled up to read is left there. */
var atEnd = true;
scroll.addEventListener("scroll", function () { atEnd = scroll.scrollHeight - scroll.scrollTop - scroll.clientHeight < 80; });
// The keyboard of a phone comes up, the line above the composer opens.
new ResizeObserver(toEnd).observe(scroll);
function toEnd() { if (atEnd) scroll.scrollTop = scroll.scrollHeight; }

function make(tag, className, text) {
  var element = document.createElement(tag);
  if (className) element.className = className;
  if (text !== undefined) element.textContent = text;
  return element;
}

function icon(name) {
  var svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  var use = document.createElementNS("http://www.w3.org/2000/svg", "use");
  use.setAttribute("href", "#i-" + name);
  svg.setAttribute("aria-hidden", "true");
  svg.appendChild(use);
  return svg;
}

var TICK_WORDS = { clock: "waiting to be sent", check: "delivered", checks: "answered", alert: "not delivered" };

function setText(element, text) { if (element.textContent !== text) element.textContent = text; }
function setClass(element, name) { if (element.className !== name) element.className = name; }

function newItem(item) {
  if (item.rule) return { element: make("div", "rule", item.rule) };
  var element = make("div");
  var bubble = make("div", "bubble");
  bubble.dir = "auto";
  var tick = item.side === "out" ? make("span", "tick") : null;
  var note = make("div", "note");
  bubble.appendChild(document.createTextNode(item.text));
  if (tick) bubble.appendChild(tick);
  element.append(bubble, note);
  return { element: element, tick: tick, note: note, still: firstDraw };
}

function drawItem(view, item, previous, next) {
  if (item.rule) return;
  var first = !previous || previous.side !== item.side, last = !next || next.side !== item.side;
  setClass(view.element, ["item", item.side, item.state || "", first ? "first" : "", last ? "last" : "", view.still ? "still" : ""].filter(Boolean).join(" "));
  if (view.tick && view.tick.dataset.tick !== item.tick) {
    view.tick.dataset.tick = item.tick;
    view.tick.replaceChildren(icon(item.tick), make("span", "heard", TICK_WORDS[item.tick]));
    view.tick.title = TICK_WORDS[item.tick];
  }
  setText(view.note, item.note || (last ? clock(item.at, true) : ""));
  view.note.classList.toggle("hidden", view.note.textContent === "");
}

function clock(at, short) {
  return new Date(at).toLocaleTimeString([], short ? { hour: "2-digit", minute: "2-digit" } : { hour: "2-digit", minute: "2-digit", second: "2-digit", hour12: false });
}

function drawLog(items) {
  var keys = new Set(items.map(function (item) { return item.key; }));
  drawn.forEach(function (view, key) { if (!keys.has(key)) { view.element.remove(); drawn.delete(key); } });
  items.forEach(function (item, index) {
    var view = drawn.get(item.key);
    if (!view) { view = newItem(item); drawn.set(item.key, view); }
    drawItem(view, item, items[index - 1], items[index + 1]);
    if (logBox.children[index] !== view.element) logBox.insertBefore(view.element, logBox.children[index] || null);
  });
  firstDraw = false;
}

/** What the slim line says. Trouble first: whoever types must know that nothing arrives, and that nothing is lost. */
function situation(feed) {
  var waiting = unsent().length;
  if (link.retryAt > 0 && waiting > 0) {
    var inMs = Math.ceil(Math.max(0, link.retryAt - Date.now()) / 1000);
    return { state: "trouble", text: inMs > 0 ? "service away, next try in " + inMs + " s" : "trying again", count: waiting + " waiting", heard: "The service does not answer. Messages wait here." };
  }
  if (link.feedFailed) return { state: "trouble", text: "service away, trying again", count: "", heard: "The service does not answer." };
  if (!feed) return { state: "idle" };
  if (feed.paused && feed.staged > 0) return { state: "trouble", text: "answering is paused", count: plural(feed.staged, "message"), heard: "Answering is paused." };
  if (feed.state === "answering") return { state: "answering", text: "answering\u2026", count: plural(feed.staged, "message"), heard: "Answering." };
  if (feed.state === "gathering") return gathering(feed);
  if (feed.handed_off) return { state: "trouble", text: "a person has taken over", count: "", heard: "A person has taken over." };
  if (feed.status === "processing_error" && feed.staged === 0) return { state: "trouble", text: "could not be answered: see the dead letters", count: "", heard: "Could not be answered." };
  return { state: "idle" };
}

function gathering(feed) {
  var leftMs = Math.max(0, feed.dueAt - serverNow());
  var text = feed.dueAt === 0 || leftMs === 0 ? "gathering \u2026" : "gathering \u2026 " + Math.ceil(leftMs / 1000) + " s";
  return { state: "gathering", text: text, count: plural(feed.staged, "message"), heard: "Gathering messages.", share: feed.opened ? leftMs / feed.opened.wholeMs : 0 };
}

var PRESENCE = { idle: "answers after the lull", gathering: "listening", answering: "typing\u2026", trouble: "one moment" };

function drawState(now) {
  if (stateBox.dataset.state !== now.state) stateBox.dataset.state = now.state;
  setText(byId("presence"), PRESENCE[now.state]);
  byId("presence").classList.toggle("bad", now.state === "trouble");
  if (now.state !== "idle") {
    setText(byId("state-text"), now.text);
    setText(byId("state-count"), now.count);
  }
  // Read out when it changes, not every second.
  setText(byId("state-heard"), now.heard || "");
  byId("state-bar").style.transform = now.state === "gathering" ? "scaleX(" + Math.min(1, now.share).toFixed(4) + ")" : "";
}

function render() {
  var list = state.conversations.map(function (id) { return feeds.get(id); }).filter(Boolean);
  var items = timelineOf(state.log, list);
  var now = situation(feeds.get(current()));
  byId("empty").classList.toggle("hidden", items.length > 0);
  // The examples stay until the first turn: a burst is more than one message.
  byId("chips").classList.toggle("hidden", now.state === "answering" || now.state === "trouble" || list.some(function (feed) { return feed.turns.length > 0; }));
  byId("typing").classList.toggle("hidden", now.state !== "answering");
  drawLog(items);
  drawState(now);
  drawPanel(list);
  toEnd();
}
`;
