/** Draws "what happens", newest first. Hidden on narrow screens, where it costs nothing. */
export const SCRIPT_PANEL = String.raw`
var EVENTS_MAX = 80;
var eventBox = byId("events");
var rows = new Map();

function newRow(event) {
  var element = make("li", "event");
  var what = make("div", "what");
  var detail = make("span");
  element.dataset.kind = event.kind;
  what.append(make("b", "", event.what), document.createTextNode(" "), detail);
  element.append(make("time", "", clock(event.at)), make("i", "dot"), what);
  return { element: element, detail: detail };
}

function liveDetail(list) {
  var feed = list[list.length - 1];
  var leftMs = feed ? feed.dueAt - serverNow() : 0;
  return leftMs > 0 ? "due in " + Math.ceil(leftMs / 1000) + " s" : "due now";
}

function quoted(event) {
  if (event.kind !== "staged") return event.detail || "";
  var text = event.detail.replace(/\s+/g, " ");
  return "\u201c" + (text.length > 60 ? text.slice(0, 59) + "\u2026" : text) + "\u201d";
}

function drawPanel(list) {
  var events = eventsOf(state.log, list).slice(-EVENTS_MAX).reverse();
  var keys = new Set(events.map(function (event) { return event.key; }));
  rows.forEach(function (row, key) { if (!keys.has(key)) { row.element.remove(); rows.delete(key); } });
  events.forEach(function (event, index) {
    var row = rows.get(event.key);
    if (!row) { row = newRow(event); rows.set(event.key, row); }
    setText(row.detail, event.live ? liveDetail(list) : quoted(event));
    if (eventBox.children[index] !== row.element) eventBox.insertBefore(row.element, eventBox.children[index] || null);
  });
  byId("no-events").classList.toggle("hidden", events.length > 0);
  drawTally(list);
}

function drawTally(list) {
  var turns = list.flatMap(function (feed) { return feed.turns; });
  var messages = turns.reduce(function (sum, turn) { return sum + turn.message_ids.length; }, 0);
  var replies = turns.filter(function (turn) { return turn.outcome === "replied"; }).length;
  setText(byId("tally"), messages > 0 ? plural(messages, "message") + " in, " + replies + (replies === 1 ? " reply" : " replies") + " out" : "");
}
`;
