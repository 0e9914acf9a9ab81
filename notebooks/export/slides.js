"use strict";
const slides = Array.from(document.querySelectorAll("article"));
let at = 0;

function show(n) {
  at = Math.max(0, Math.min(n, slides.length - 1));
  slides.forEach((s, i) => s.classList.toggle("shown", i === at));
  document.querySelector("footer").textContent = `${at + 1} / ${slides.length}`;
  history.replaceState(null, "", `#${at + 1}`);
}

function step(by) {
  const parts = Array.from(slides[at].querySelectorAll(".fragment"));
  if (by > 0) {
    const hidden = parts.find((p) => !p.classList.contains("shown"));
    if (hidden) return hidden.classList.add("shown");
    if (at < slides.length - 1) show(at + 1);
    return;
  }
  const seen = parts.filter((p) => p.classList.contains("shown")).pop();
  if (seen) return seen.classList.remove("shown");
  if (at > 0) show(at - 1);
}

addEventListener("keydown", (e) => {
  if (["ArrowRight", "ArrowDown", "PageDown", " "].includes(e.key)) step(1);
  else if (["ArrowLeft", "ArrowUp", "PageUp"].includes(e.key)) step(-1);
  else if (e.key === "Home") show(0);
  else if (e.key === "End") show(slides.length - 1);
  else if (e.key.toLowerCase() === "s") document.body.classList.toggle("notes");
  else return;
  e.preventDefault();
});
let touched = 0;
addEventListener("touchstart", (e) => { touched = e.touches[0].clientX; });
addEventListener("touchend", (e) => {
  const moved = e.changedTouches[0].clientX - touched;
  if (Math.abs(moved) > 40) step(moved < 0 ? 1 : -1);
});
show((parseInt(location.hash.slice(1), 10) || 1) - 1);
