/** Wires the page up. */
export const SCRIPT_START = String.raw`
var EXAMPLES = ["Hi", "I\u2019d like to book a table", "for two", "tomorrow at 8"];
var TICK_MS = 200;
var box = byId("text");

function say(text) {
  var trimmed = text.trim();
  if (trimmed === "") return;
  addMessage(trimmed);
  atEnd = true;
  render();
  pump();
}

function fit() {
  box.style.height = "auto";
  box.style.height = box.scrollHeight + 2 + "px";
  byId("send").disabled = box.value.trim() === "";
}

function drawExamples() {
  byId("chips").replaceChildren.apply(byId("chips"), EXAMPLES.map(function (text) {
    var chip = make("button", "", text);
    chip.type = "button";
    chip.addEventListener("click", function () { chip.remove(); say(text); });
    return chip;
  }));
}

function startOver() {
  if (unsent().length > 0 && !confirm("Some messages were not sent yet. Start over without them?")) return;
  if (location.hash) history.replaceState(null, "", location.pathname + location.search);
  switchTo(freshState());
  keep();
  drawExamples();
  render();
  box.focus();
}

function switchTo(other) {
  clearTimeout(link.retryTimer);
  link.retryAt = link.failures = 0;
  state = other;
  feeds = new Map();
}

byId("composer").addEventListener("submit", function (event) {
  event.preventDefault();
  say(box.value);
  box.value = "";
  fit();
});
box.addEventListener("input", fit);
box.addEventListener("keydown", function (event) {
  // While an input method composes, Enter chooses a word.
  if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
  event.preventDefault();
  byId("composer").requestSubmit();
});
// The keyboard of a phone must stay up between two messages.
byId("send").addEventListener("pointerdown", function (event) { event.preventDefault(); });
byId("fresh").addEventListener("click", startOver);
document.addEventListener("visibilitychange", function () { if (!document.hidden) { poll(); pump(); } });
addEventListener("online", function () { pump(); poll(); });
// Another tab of the same visitor wrote something.
addEventListener("storage", function (event) {
  if (event.key !== KEY || !event.newValue) return;
  var theirs = load();
  if (theirs.visitor === state.visitor) mergeLog(state.log, theirs.log);
  else switchTo(theirs);
  render();
});

save();
drawExamples();
fit();
render();
poll();
pump();
setInterval(function () { if (!document.hidden && stateBox.dataset.state !== "idle" || link.retryAt > 0) render(); }, TICK_MS);
if (matchMedia("(min-width: 640px)").matches) box.focus();
`;
