"use strict";
const slides = Array.from(document.querySelectorAll("article"));
const footer = document.querySelector("footer");
let at = 0;
let typed = "";

// fit makes the letters of a slide as small as its content needs, but never illegible: the rest is scrolled. Wide tables and
// plain texts, whose lines must not break, get smaller alone. The sizes are kept in properties with a prefix. Paper is not scrolled.
function fit(slide, prefix = "--") {
  const legible = prefix === "--" ? 9 : 0; // pixels
  const pixels = (element) => parseFloat(getComputedStyle(element).fontSize);
  const smallest = Math.min(1, Math.max(0.5, legible / (0.64 * pixels(slide)))); // code in a pre has 0.8 of 0.8 of the size of text
  const size = (x) => slide.style.setProperty(prefix + "fit", x);
  const wide = slide.querySelectorAll('.output pre, .output table, math[display="block"]');
  const inside = () => slide.scrollHeight <= slide.clientHeight + 1;
  size(1);
  wide.forEach((w) => w.style.setProperty(prefix + "own", 1));
  const narrow = () => wide.forEach((w) => {
    w.style.setProperty(prefix + "own", 1);
    const [room, needed] = w.tagName === "TABLE" ? [w.parentElement.clientWidth, w.offsetWidth] : [w.clientWidth, w.scrollWidth];
    if (needed > room) w.style.setProperty(prefix + "own", Math.max(Math.min(1, legible / pixels(w)), 0.45, 0.98 * room / needed));
  });
  const shrink = () => {
    let low = smallest, high = 1;
    for (let i = 0; i < 7; i++) {
      const middle = (low + high) / 2;
      size(middle);
      if (inside()) low = middle; else high = middle;
    }
    size(low);
    return low;
  };
  slide.classList.remove("columns");
  narrow();
  if (inside()) return;
  const one = shrink();
  if (one < 0.8 && slide.querySelector(".source")) { // long code is legible in two columns for longer
    slide.classList.add("columns");
    if (shrink() < 1.1 * one) {
      slide.classList.remove("columns");
      size(one);
    }
  }
  narrow();
}

function show(n) {
  at = Math.max(0, Math.min(n, slides.length - 1));
  slides.forEach((s, i) => s.classList.toggle("shown", i === at));
  footer.querySelector(".number").textContent = `${at + 1} / ${slides.length}`;
  footer.style.setProperty("--at", slides.length > 1 ? at / (slides.length - 1) : 1);
  history.replaceState(null, "", `#${at + 1}`);
  if (document.body.classList.contains("overview")) slides[at].scrollIntoView({ block: "nearest" });
  else fit(slides[at]);
}

function step(by) {
  if (document.body.classList.contains("overview")) return show(at + by);
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

function overview(on) {
  document.body.classList.toggle("overview", on);
  slides.forEach((s) => s.style.setProperty("--fit", 1));
  show(at);
}

function fullscreen() {
  if (document.fullscreenElement) document.exitFullscreen();
  else document.documentElement.requestFullscreen?.();
}

const help = document.getElementById("help");
const keys = {
  ArrowRight: () => step(1), ArrowDown: () => step(1), PageDown: () => step(1), n: () => step(1),
  ArrowLeft: () => step(-1), ArrowUp: () => step(-1), PageUp: () => step(-1), p: () => step(-1), Backspace: () => step(-1),
  Home: () => show(0), End: () => show(slides.length - 1),
  s: () => { document.body.classList.toggle("notes"); show(at); },
  o: () => overview(!document.body.classList.contains("overview")),
  Escape: () => { help.classList.remove("shown"); overview(false); },
  f: fullscreen, "?": () => help.classList.toggle("shown"),
};

addEventListener("keydown", (e) => {
  if (e.ctrlKey || e.metaKey || e.altKey || /^(INPUT|SELECT|TEXTAREA)$/.test(e.target.tagName)) return;
  const shown = slides[at];
  if ((e.key === "ArrowDown" && shown.scrollTop + shown.clientHeight < shown.scrollHeight - 1 || e.key === "ArrowUp" && shown.scrollTop > 0)
    && !document.body.classList.contains("overview")) { // a slide that does not fit is scrolled first
    shown.scrollBy(0, (e.key === "ArrowDown" ? 0.8 : -0.8) * shown.clientHeight);
  } else if (/^[0-9]$/.test(e.key)) {
    typed += e.key;
    return;
  } else if (e.key === "Enter" && typed) {
    show(parseInt(typed, 10) - 1);
  } else if (e.key === "Enter" && document.body.classList.contains("overview")) {
    overview(false);
  } else if (e.key === " ") {
    step(e.shiftKey ? -1 : 1);
  } else {
    const act = keys[e.key] || keys[e.key.toLowerCase()];
    typed = "";
    if (!act) return;
    act();
  }
  typed = "";
  e.preventDefault();
});

addEventListener("click", (e) => {
  const slide = e.target.closest("article");
  if (slide && document.body.classList.contains("overview")) {
    at = slides.indexOf(slide);
    overview(false);
  }
});

let touched = null;
addEventListener("touchstart", (e) => { touched = e.touches.length === 1 ? e.touches[0] : null; });
addEventListener("touchend", (e) => {
  if (!touched) return;
  const x = e.changedTouches[0].clientX - touched.clientX, y = e.changedTouches[0].clientY - touched.clientY;
  if (Math.abs(x) > 40 && Math.abs(x) > 2 * Math.abs(y)) step(x < 0 ? 1 : -1);
});
addEventListener("resize", () => { if (!document.body.classList.contains("overview")) fit(slides[at]); });
addEventListener("hashchange", () => show((parseInt(location.hash.slice(1), 10) || 1) - 1));

// Pages of print have a size of their own, so slides are fitted into it apart, in a place where they do not show.
function fitForPrint() {
  slides.forEach((s) => {
    const columns = s.classList.contains("columns");
    s.classList.add("measured");
    fit(s, "--print-");
    s.classList.toggle("print-columns", s.classList.contains("columns"));
    s.classList.toggle("columns", columns);
    s.classList.remove("measured");
  });
}
addEventListener("beforeprint", fitForPrint);

document.body.classList.add("playing");
show((parseInt(location.hash.slice(1), 10) || 1) - 1);
document.fonts?.ready.then(() => fit(slides[at]));
addEventListener("load", () => fit(slides[at]));
