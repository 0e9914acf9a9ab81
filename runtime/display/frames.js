// Shows one of the frames that display.Frames has drawn beforehand: a slider for each range, and a button that plays the first. It
// needs nothing of the network, and where it does not run, the frame that stands in the page remains.
(function () {
  "use strict";
  var own = document.currentScript && document.currentScript.closest(".gosphere-frames");
  var boxes = own ? [own] : document.querySelectorAll(".gosphere-frames");
  Array.prototype.forEach.call(boxes, enliven);

  function element(name, text, style) {
    var made = document.createElement(name);
    if (text !== undefined) made.textContent = text;
    if (style) made.style.cssText = style;
    return made;
  }

  function enliven(box) {
    var source = box.querySelector("script[type='application/json']");
    var view = box.querySelector(".gosphere-frame");
    if (!source || !view || box.getAttribute("data-live")) return;
    box.setAttribute("data-live", "1");
    var data = JSON.parse(source.textContent);
    var at = data.start.slice(), shown = -1, made = {}, timer = null;
    var still = view.innerHTML;
    var bar = element("div", undefined, "display:flex;flex-wrap:wrap;gap:.3em 1.4em;align-items:center;margin:.4em 0;font:14px sans-serif");
    var play = element("button", "▶", "font:inherit;min-width:2.4em;min-height:2em;cursor:pointer");
    play.type = "button";
    play.title = "Play";
    play.setAttribute("aria-label", "Play " + data.ranges[0].name);
    bar.appendChild(play);
    var sliders = data.ranges.map(function (range, k) {
      var label = element("label", undefined, "display:inline-flex;gap:.5em;align-items:center;min-height:2em");
      var slider = element("input", undefined, "width:min(14em,42vw);cursor:pointer");
      slider.type = "range";
      slider.min = 0;
      slider.max = range.labels.length - 1;
      slider.value = at[k];
      var value = element("output", undefined, "min-width:3.5em;font-variant-numeric:tabular-nums");
      label.appendChild(element("span", range.name));
      label.appendChild(slider);
      label.appendChild(value);
      bar.appendChild(label);
      slider.oninput = function () { stop(); at[k] = +slider.value; draw(); };
      slider.onkeydown = function (event) { event.stopPropagation(); };
      return [slider, value];
    });
    box.insertBefore(bar, view);
    play.onclick = function () {
      if (timer) { stop(); return; }
      play.textContent = "❚❚";
      timer = setInterval(function () {
        if (!box.isConnected) { stop(); return; }
        at[0] = (at[0] + 1) % data.ranges[0].labels.length;
        draw();
      }, data.pace);
    };
    play.onkeydown = function (event) { if (event.key !== "Tab") event.stopPropagation(); };
    draw();

    function stop() {
      clearInterval(timer);
      timer = null;
      play.textContent = "▶";
    }

    function draw() {
      var n = 0;
      data.ranges.forEach(function (range, k) {
        n = n * range.labels.length + at[k];
        sliders[k][0].value = at[k];
        sliders[k][0].setAttribute("aria-valuetext", range.name + " " + range.labels[at[k]]);
        sliders[k][1].textContent = range.labels[at[k]];
      });
      if (n === shown) return;
      if (!made[n]) {
        made[n] = element("div");
        made[n].innerHTML = data.frames[n] === null ? still : data.frames[n];
      }
      view.replaceChildren(made[n]);
      shown = n;
    }
  }
})();
