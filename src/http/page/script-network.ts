/** The way out (one message at a time, in order, until it is acknowledged) and the way back (the feed). */
export const SCRIPT_NETWORK = `
var ACTIVE_MS = 400, IDLE_MS = 2500, HIDDEN_MS = 15000, LOST_MS = 1500;
var RETRY_FIRST_MS = 500, RETRY_MS_MAX = 8000, REQUEST_MS = 10000, PATIENCE_MS = 180000;
var offset = 0;
var link = { sending: false, failures: 0, retryAt: 0, retryTimer: 0, feedFailed: false, pollTimer: 0, polling: false };
var feeds = new Map();

/** The server's time as far as we know it: both sides' events stand in one list. */
function serverNow() { return Date.now() + offset; }

function request(path, options) {
  var control = new AbortController();
  var timer = setTimeout(function () { control.abort(); }, REQUEST_MS);
  var headers = { "content-type": "application/json" };
  if (state.signature) headers["x-lull-signature"] = state.signature;
  return fetch(new URL(path, document.baseURI), Object.assign({ headers: headers, signal: control.signal, cache: "no-store" }, options)).finally(function () { clearTimeout(timer); });
}

/** Sends what waits. The id stays the same on every try, so a message whose acknowledgement got lost is not said twice. */
async function pump() {
  if (link.sending) return;
  link.sending = true;
  clearTimeout(link.retryTimer);
  for (var entry = unsent()[0]; entry; entry = unsent()[0]) {
    var outcome = await deliver(entry).catch(function () { return { again: true }; });
    if (outcome.again) { backOff(outcome.afterMs); break; }
    link.failures = 0;
    link.retryAt = 0;
    entry.ackedAt = serverNow();
    save();
    render();
    poll();
  }
  link.sending = false;
  render();
}

async function deliver(entry) {
  var visitor = state.visitor;
  var response = await request("webhooks/" + channel, { method: "POST", body: JSON.stringify({ id: entry.id, sender: visitor, text: entry.text }) });
  if (response.status === 429 || response.status === 408 || response.status >= 500) {
    return { again: true, afterMs: Number(response.headers.get("retry-after")) * 1000 };
  }
  var answer = await response.json().catch(function () { return {}; });
  if (response.ok) {
    entry.state = "acked";
    if (visitor === state.visitor) rememberConversation(answer.conversation_id);
  } else {
    entry.state = "refused";
    entry.why = "not delivered: " + (answer.detail || answer.code || "status " + response.status);
  }
  return {};
}

function backOff(afterMs) {
  var doubled = Math.min(RETRY_MS_MAX, RETRY_FIRST_MS * Math.pow(2, link.failures));
  var wait = Math.max(afterMs || 0, doubled * (0.75 + Math.random() / 2));
  link.failures += 1;
  link.retryAt = Date.now() + wait;
  link.retryTimer = setTimeout(pump, wait);
}

function current() { return state.conversations[state.conversations.length - 1]; }

/** Something is on its way: a window, a turn, or a message that no turn has taken yet. */
function active() {
  var feed = feeds.get(current());
  if (feed && feed.state !== "idle") return true;
  return state.log.some(function (entry) { return entry.state === "acked" && !entry.turn && serverNow() - entry.at < PATIENCE_MS; });
}

async function poll() {
  if (link.polling) return;
  link.polling = true;
  clearTimeout(link.pollTimer);
  try { await pollOnce(); link.feedFailed = false; } catch (_) { link.feedFailed = true; }
  link.polling = false;
  render();
  clearTimeout(link.pollTimer);
  link.pollTimer = setTimeout(poll, document.hidden ? HIDDEN_MS : link.feedFailed ? LOST_MS : active() ? ACTIVE_MS : IDLE_MS);
}

/** Older conversations are read once; the current one again and again. */
async function pollOnce() {
  var known = state.conversations.filter(function (id) { return id === current() || !feeds.has(id); });
  if (known.length === 0 && state.log.some(function (entry) { return entry.state === "acked"; })) known = [""];
  for (var id of known) await readFeed(id);
}

async function readFeed(id) {
  var before = feeds.get(id);
  var visitor = state.visitor;
  var query = new URLSearchParams({ sender: visitor, after: String(before ? before.last : 0) });
  if (id) query.set("conversation", id);
  var askedAt = Date.now();
  var response = await request("webhooks/" + channel + "/feed?" + query);
  if (response.status === 404 || response.status === 401) return;
  if (!response.ok) throw new Error("feed " + response.status);
  var feed = await response.json();
  if (visitor !== state.visitor) return;
  offset = Date.parse(feed.now) - (askedAt + Date.now()) / 2;
  if (!id) rememberConversation(feed.conversation);
  feeds.set(feed.conversation, joined(before, feed));
  noteArrivals(state.log, feed.waiting);
  assignTurns(state.log, feed.turns);
  save();
}

/** The feed gives only what is new; what was there stays. */
function joined(before, feed) {
  var messages = (before ? before.messages : []).concat(feed.messages);
  var dueAt = feed.due_in_ms === undefined ? 0 : serverNow() + feed.due_in_ms;
  feed.answeringSince = feed.state === "answering" ? Date.parse(feed.answering_since) || (before && before.answeringSince) || serverNow() : 0;
  feed.opened = dueAt === 0 ? null : openedWindow(before, feed, dueAt);
  feed.messages = messages;
  feed.last = messages.length > 0 ? messages[messages.length - 1].n : 0;
  feed.dueAt = dueAt;
  return feed;
}

/** When the window opened, and how long it is. A quiet window moves its end with every message: then the bar is full again. */
function openedWindow(before, feed, dueAt) {
  // What the running turn took is still listed, but belongs to no window any more.
  var first = feed.waiting.find(function (each) { return Date.parse(each.at) > feed.answeringSince; });
  var at = first ? Date.parse(first.at) : serverNow();
  var opened = before && before.opened;
  if (!opened || (first && opened.at !== at)) return { at: at, wholeMs: Math.max(1, dueAt - at) };
  return Math.abs(before.dueAt - dueAt) > 300 ? { at: opened.at, wholeMs: feed.due_in_ms } : opened;
}
`;
