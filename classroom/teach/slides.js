const all = [...document.querySelectorAll("section")];
let at = 0;
function go(to) {
  at = Math.max(0, Math.min(all.length - 1, to));
  all.forEach((one, i) => one.classList.toggle("now", i === at));
  document.getElementById("where").textContent = (at + 1) + " of " + all.length;
  scrollTo(0, 0);
}
addEventListener("keydown", (event) => {
  if (event.target.tagName === "BUTTON" && event.key === " ") return;
  const step = {ArrowRight: 1, PageDown: 1, " ": 1, ArrowLeft: -1, PageUp: -1}[event.key];
  if (step) { event.preventDefault(); go(at + step); }
  if (event.key === "Home") go(0);
  if (event.key === "End") go(all.length - 1);
  if (event.key === "s") document.body.classList.toggle("speak");
});
document.getElementById("back").onclick = () => go(at - 1);
document.getElementById("on").onclick = () => go(at + 1);
go(0);
