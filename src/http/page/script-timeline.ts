/** What is shown, worked out from the visitor's own log and the feeds. Pure: no clock, no page. */
export const SCRIPT_TIMELINE = String.raw`
function progressOf(entry) {
  return entry.turn ? 2 : entry.state === "waiting" ? 0 : 1;
}

/** Takes another tab's log into this one, in place: messages that it lacks, and whatever got further there. */
function mergeLog(log, other) {
  var own = new Map(log.map(function (entry) { return [entry.id, entry]; }));
  other.forEach(function (entry) {
    var mine = own.get(entry.id);
    if (!mine) log.push(entry);
    else if (progressOf(entry) > progressOf(mine)) Object.assign(mine, entry);
  });
  log.sort(function (a, b) { return a.at - b.at; });
}

/** Tells each message of the log its turn. A turn names messages by dedupe key, which ends in the id that the page gave. */
function assignTurns(log, turns) {
  var changed = false;
  turns.forEach(function (turn) {
    log.forEach(function (entry) {
      if (entry.turn || !turn.message_ids.some(function (key) { return key === entry.id || key.endsWith("/" + entry.id); })) return;
      entry.turn = turn.turn_id;
      entry.state = "acked";
      changed = true;
    });
  });
  return changed;
}

/** Tells each message that waits when it arrived, by the service's clock. */
function noteArrivals(log, waiting) {
  waiting.forEach(function (each) {
    log.forEach(function (entry) { if (entry.id === each.id) entry.arrivedAt = Date.parse(each.at); });
  });
}

function tickOf(entry) {
  if (entry.state === "refused") return "alert";
  if (entry.state === "waiting") return "clock";
  return entry.turn ? "checks" : "check";
}

function ownItem(entry) {
  return { key: entry.id, side: "out", text: entry.text, at: entry.at, tick: tickOf(entry), state: entry.state, note: entry.why || "" };
}

function plural(count, word) {
  return count + " " + word + (count === 1 ? "" : "s");
}

/** A user's side of a turn: the log's own bubbles, or else the merged text, cut up again where that is certain. */
function userItems(message, turn, log) {
  var own = log.filter(function (entry) { return entry.turn === message.turn_id; });
  var count = turn ? turn.message_ids.length : own.length;
  if (own.length > 0 && own.length >= count) return own.map(ownItem);
  var lines = message.text.split("\n");
  var texts = lines.length === count ? lines : [message.text];
  return texts.map(function (text, index) {
    return { key: message.turn_id + ":user:" + message.n + ":" + index, side: "out", text: text, at: Date.parse(message.at), tick: "checks", state: "acked", note: "" };
  });
}

function replyItem(message, turn) {
  var count = turn ? turn.message_ids.length : 0;
  var note = count > 1 ? "1 answer to " + count + " messages" : "";
  return { key: message.turn_id + ":reply:" + message.n, side: "in", text: message.text, at: Date.parse(message.at), note: note };
}

/** One conversation's committed part. */
function historyItems(feed, log) {
  var turns = new Map(feed.turns.map(function (turn) { return [turn.turn_id, turn]; }));
  var shown = new Set();
  return feed.messages.flatMap(function (message) {
    var turn = turns.get(message.turn_id);
    if (message.role === "assistant") return [replyItem(message, turn)];
    return userItems(message, turn, log).filter(function (item) { return !shown.has(item.key) && shown.add(item.key); });
  });
}

/** Everything, in the order it is shown: what is committed, then what waits. A refused message stays where it was said. */
function timelineOf(log, feeds) {
  var items = feeds.flatMap(function (feed, index) {
    var own = historyItems(feed, log);
    return index > 0 && own.length > 0 ? [{ key: "rule:" + feed.conversation, rule: "new conversation", at: own[0].at }].concat(own) : own;
  });
  var shown = new Set(items.map(function (item) { return item.key; }));
  var waitingIds = new Set(log.map(function (entry) { return entry.id; }));
  log.filter(function (entry) { return !shown.has(entry.id) && !entry.turn; }).forEach(function (entry) {
    var later = entry.state === "refused" ? items.findIndex(function (item) { return item.at > entry.at; }) : -1;
    items.splice(later === -1 ? items.length : later, 0, ownItem(entry));
  });
  feeds.flatMap(function (feed) { return feed.waiting; }).forEach(function (each) {
    if (!waitingIds.has(each.id)) items.push(ownItem({ id: each.id, text: each.text, at: Date.parse(each.at), state: "acked" }));
  });
  return items;
}

/** What comes first when it happened in the same millisecond: a window opens with the message that was staged. */
var ORDER = ["staged", "window", "taken", "committed", "trouble"];

/** The panel's rows, oldest first: what was written down, and when. */
function eventsOf(log, feeds) {
  var events = log.map(function (entry) {
    if (entry.state === "waiting") return null;
    var refused = entry.state === "refused";
    return { key: "m:" + entry.id, at: entry.arrivedAt || entry.ackedAt || entry.at, kind: refused ? "trouble" : "staged", what: refused ? "refused" : "staged", detail: refused ? entry.why : entry.text };
  });
  feeds.forEach(function (feed) {
    feed.turns.forEach(function (turn) { events = events.concat(turnEvents(turn)); });
    if (feed.opened) events.push({ key: "w:" + feed.conversation + feed.opened.at, at: feed.opened.at, kind: "window", what: "window opened", live: true });
    if (feed.answeringSince) events.push({ key: "a:" + feed.conversation + feed.answeringSince, at: feed.answeringSince, kind: "taken", what: "turn taken", detail: "the responder is asked" });
  });
  return events.filter(Boolean).sort(function (a, b) { return a.at - b.at || ORDER.indexOf(a.kind) - ORDER.indexOf(b.kind); });
}

function turnEvents(turn) {
  var count = turn.message_ids.length;
  var opened = Date.parse(turn.opened_at), due = Date.parse(turn.due_at), taken = Date.parse(turn.taken_at), done = Date.parse(turn.committed_at);
  var rows = [{ key: "c:" + turn.turn_id, at: done, kind: turn.outcome === "replied" ? "committed" : ["no-reply", "queued", "handed-off"].indexOf(turn.outcome) >= 0 ? "taken" : "trouble", what: "turn committed", detail: outcomeOf(turn.outcome, count) }];
  if (count === 0) return rows;
  rows.push({ key: "t:" + turn.turn_id, at: taken, kind: "taken", what: "turn taken", detail: "with " + plural(count, "message") + (turn.attempts > 1 ? ", attempt " + turn.attempts : "") });
  rows.push({ key: "o:" + turn.turn_id, at: opened, kind: "window", what: "window opened", detail: "due in " + seconds(due - opened) });
  return rows;
}

function outcomeOf(outcome, count) {
  if (outcome === "replied") return count === 0 ? "1 message out" : plural(count, "message") + ", 1 reply";
  return plural(count, "message") + ", " + outcome;
}

function seconds(ms) {
  var value = Math.max(0, ms) / 1000;
  return (value < 10 && value % 1 >= 0.05 ? value.toFixed(1) : String(Math.round(value))) + " s";
}
`;
