/** Who the visitor is and what they wrote, kept in the browser: a reload, or a service that is away, loses nothing. */
export const SCRIPT_STORE = `
var channel = document.body.dataset.channel;
var KEY = "lull.phone." + channel;
var LOG_MAX = 300;
var CONVERSATIONS_MAX = 5;
var memory = null;
var state = load();

/** Works without a secure context, unlike randomUUID: phones on the same network open http://192.168.... */
function randomId(prefix) {
  var bytes = crypto.getRandomValues(new Uint8Array(16));
  return prefix + Array.from(bytes, function (byte) { return byte.toString(16).padStart(2, "0"); }).join("");
}

/** A page that proves its visitors links here with #sender=...&signature=... Without a proof anybody could have made the link, to read along. */
function linkedVisitor() {
  var given = new URLSearchParams(location.hash.slice(1));
  return given.get("sender") && given.get("signature") ? { visitor: given.get("sender"), signature: given.get("signature") } : null;
}

function freshState() {
  var linked = linkedVisitor();
  return { visitor: linked ? linked.visitor : randomId("visitor-"), signature: linked ? linked.signature : "", conversations: [], log: [] };
}

function stored() {
  // In private mode there may be no storage: then the tab's memory has to do.
  try { return JSON.parse(localStorage.getItem(KEY)); } catch (_) { return memory; }
}

function load() {
  var kept = stored();
  var linked = linkedVisitor();
  if (!kept || !kept.visitor || !Array.isArray(kept.log) || (linked && linked.visitor !== kept.visitor)) return freshState();
  if (linked) kept.signature = linked.signature;
  return kept;
}

/** Another tab of the same visitor may have written meanwhile: what it knows is taken in, never overwritten. */
function save() {
  var kept = stored();
  if (kept && kept.visitor === state.visitor) {
    mergeLog(state.log, kept.log);
    kept.conversations.forEach(function (id) { if (!state.conversations.includes(id)) state.conversations.unshift(id); });
  }
  keep();
}

function keep() {
  state.log.splice(0, state.log.length - LOG_MAX);
  memory = state;
  try { localStorage.setItem(KEY, JSON.stringify(state)); } catch (_) { /* As above. */ }
}

function addMessage(text) {
  var entry = { id: randomId("m-"), text: text, at: serverNow(), state: "waiting" };
  state.log.push(entry);
  save();
  return entry;
}

function rememberConversation(id) {
  if (!id || state.conversations[state.conversations.length - 1] === id) return;
  state.conversations = state.conversations.filter(function (each) { return each !== id; }).concat(id).slice(-CONVERSATIONS_MAX);
}

function unsent() {
  return state.log.filter(function (entry) { return entry.state === "waiting"; });
}
`;
