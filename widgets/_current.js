/* Whether the answer on the card is for the values in the boxes, and what is said while it is not.
   An answer is current once Python has told that it knows the last message that was sent; until
   then it is greyed, and it cannot be taken away as a slip. */

const SOON = 300;
const LATE = 8000;
const LOST = ["dead", "restarting", "autorestarting", "terminating"];
const AWAY = ["connecting", "disconnected"];

const again = () => (document.querySelector("[data-voila]") ? "reload" : "rerun");

/* Tell whether the kernel, and so what Python knew, is gone, or the way to it is interrupted. */
function watchKernel(model, tell) {
  const kernel = model.widget_manager?.kernel;
  if (!kernel?.statusChanged) return () => {};
  const look = () => tell({ lost: LOST.includes(kernel.status), away: AWAY.includes(kernel.connectionStatus) });
  const signals = [kernel.statusChanged, kernel.connectionStatusChanged].filter(Boolean);
  for (const signal of signals) signal.connect(look);
  look();
  return () => { for (const signal of signals) signal.disconnect(look); };
}

/* Keeps the card honest: what was sent, what came back, what is typed and not entered. */
function makeCurrent(model, card, unsent, spoken) {
  let turn = 0;
  let pending = true; // the first screen is asked for at once
  let shown = false;
  let [slow, late, lost, away] = [false, false, false, false];
  let told = "";
  let hushed = false;
  let stop = false;
  let timers = [];

  const say = () => {
    const gone = lost || away;
    if (!shown) return gone ? "nobody" : "waiting";
    if (pending && (gone || late)) return "silent";
    if (told && !hushed) return "told";
    if (pending) return slow ? "computing" : "";
    if (unsent()) return "enter";
    if (lost) return "stopped";
    if (away) return "apart";
    return told ? "told" : "";
  };
  const tell = () => {
    const key = say();
    const words = key === "told" ? told : key && spoken.say(key, { again: spoken.say(again()) });
    const aloud = key !== "enter" && !(key === "told" && hushed);
    card.mark({ words, pending, old: shown && (pending || unsent()), aloud, stop: stop && Boolean(told) });
  };
  /* A sign of life: wait anew before Python is said not to answer. */
  const alive = () => {
    timers.forEach(clearTimeout);
    late = false;
    timers = [
      setTimeout(() => { slow = pending; tell(); }, SOON),
      setTimeout(() => { late = pending; told = ""; tell(); }, LATE),
    ];
  };
  const unwatch = watchKernel(model, (seen) => {
    lost ||= seen.lost; // another Python in its place knows nothing of this view
    away = seen.away;
    tell();
  });
  alive();
  tell();
  return {
    tell,
    send(kind, content, buffers) {
      turn = Math.max(turn + 1, Date.now());
      if (!pending) alive();
      pending = true;
      try {
        model.send({ kind, turn, ...content }, undefined, buffers);
      } catch {
        lost = true;
      }
      tell();
    },
    wait(words, quietly = false, stoppable = false) {
      alive();
      if (words) [told, hushed, stop] = [words, quietly, stoppable];
      tell();
    },
    /* Whether a screen answers all that was sent; if not, it is a sign of life only. */
    answers(screen) {
      alive();
      if (screen.turn < turn) return false;
      [pending, slow, lost, told, shown] = [false, false, false, "", true];
      return true;
    },
    end() {
      timers.forEach(clearTimeout);
      unwatch();
    },
  };
}
