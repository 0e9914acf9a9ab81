// Draws the charts of package chart in exported pages, from the marks that the Vega-Lite specification of the output contains and
// the description beside them. The pointer shows values; dragging, and the wheel with the control or shift key, change the axes; a
// double click resets them; a click on the legend hides a color. In charts with a brush, dragging chooses rows in all charts of the
// output. Where the script does not run, the picture in the page remains. It needs nothing of the network.
(function () {
  "use strict";
  var SVG = "http://www.w3.org/2000/svg";
  var own = document.currentScript && document.currentScript.closest(".gosphere-chart");
  Array.prototype.forEach.call(own ? [own] : document.querySelectorAll(".gosphere-chart"), enliven);

  function enliven(box) {
    var source = box.querySelector("script[type='application/json']");
    if (!source || box.getAttribute("data-live")) return;
    var spec = JSON.parse(source.textContent), meta = spec.usermeta.gosphere;
    box.setAttribute("data-live", "1");
    var old = Array.prototype.slice.call(box.children), holder = html("div", "position:relative;max-width:100%");
    if (spec.title && meta.views) holder.appendChild(html("div", "font:bold 16px sans-serif;color:#222", spec.title.text));
    var tip = html("div", "position:absolute;pointer-events:none;display:none;background:#fff;border:1px solid #bbb;border-radius:3px;padding:3px 7px;" +
      "font:12px sans-serif;color:#222;white-space:nowrap;z-index:9;box-shadow:0 1px 3px #0003");
    var shared = { chosen: null, redraw: [], tip: tip, holder: holder, box: box };
    var views = meta.views || [meta];
    var across = Math.min(meta.views && meta.across || 1, views.length);
    // Charts that would be too narrow to be read are below each other.
    var grid = html("div", "display:grid;gap:8px;max-width:" + across * 660 + "px;grid-template-columns:repeat(auto-fit,minmax(min(100%," + (across > 1 ? 340 : 0) + "px),1fr))");
    views.forEach(function (view, k) {
      grid.appendChild(chart(view, meta.views ? spec.concat[k].data.values : spec.data.values, shared));
    });
    holder.appendChild(grid);
    holder.appendChild(tip);
    old.forEach(function (child) { child.style.display = "none"; });
    box.insertBefore(holder, box.firstChild);
  }

  function html(name, style, text) {
    var made = document.createElement(name);
    if (style) made.style.cssText = style;
    if (text !== undefined) made.textContent = text;
    return made;
  }

  function node(parent, name, attributes, text) {
    var made = document.createElementNS(SVG, name);
    for (var key in attributes) made.setAttribute(key, attributes[key]);
    if (text !== undefined) made.textContent = text;
    if (parent) parent.appendChild(made);
    return made;
  }

  // Scales.
  function scale(axis, low, high, from, to) {
    var a = axis.log ? Math.log(low) : low, b = axis.log ? Math.log(high) : high;
    return function (x) { return from + (to - from) * ((axis.log ? Math.log(x) : x) - a) / (b - a); };
  }
  function unscale(axis, low, high, share) {
    if (!axis.log) return low + share * (high - low);
    return Math.exp(Math.log(low) + share * (Math.log(high) - Math.log(low)));
  }
  function nice(x) {
    var power = Math.pow(10, Math.floor(Math.log10(x)));
    return [1, 2, 2.5, 5, 10].map(function (s) { return s * power; }).find(function (s) { return x <= s * 1.000001; });
  }
  function numeral(x, step) {
    var decimals = Math.max(0, Math.min(12, Math.ceil(-Math.log10(step) + (Math.abs(step / Math.pow(10, Math.floor(Math.log10(step))) - 2.5) < 1e-6 ? 1 : 0) - 1e-9)));
    if (Math.abs(x) >= 1e12 || decimals > 6) return x.toPrecision(3);
    var text = Math.abs(x).toFixed(decimals);
    if (Math.abs(x) >= 1e5) text = text.replace(/\B(?=(\d{3})+(?!\d))/g, "\u2009");
    return (x < 0 && +text !== 0 ? "−" : "") + text;
  }
  function ticks(axis, low, high, n) {
    var list = [], step, k;
    if (axis.names) {
      axis.names.forEach(function (name, i) { if (i >= low && i <= high) list.push([i, name]); });
      return list;
    }
    if (axis.kind === "times") return calendar(low, high, n);
    if (axis.log && high / low > 3) {
      var wide = high / low > 100 ? [1] : [1, 2, 5];
      for (k = Math.floor(Math.log10(low)); k <= Math.ceil(Math.log10(high)); k++) wide.forEach(function (s) {
        var x = s * Math.pow(10, k);
        if (x >= low && x <= high) list.push([x, x < 1e-4 || x >= 1e6 ? x.toExponential(0) : String(+x.toPrecision(3))]);
      });
      return list;
    }
    step = nice((high - low) / Math.min(n + 1, 7));
    for (k = Math.ceil(low / step - 1e-9); k * step <= high + step * 1e-9; k++) list.push([k * step, k ? numeral(k * step, step) : "0"]);
    return list;
  }
  function calendar(low, high, n) {
    var months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
    var second = 1000, day = 864e5, list = [], span = (high - low) / n, t, d, step;
    function two(x) { return x < 10 ? "0" + x : x; }
    function date(d) { return d.getUTCDate() + " " + months[d.getUTCMonth()]; }
    if (span > 20 * day) {
      var month = [1, 2, 3, 6, 12, 24, 60, 120, 240, 600, 1200].find(function (m) { return m * 30.5 * day >= span; }) || 2400;
      var from = new Date(low), m = from.getUTCFullYear() * 12 + from.getUTCMonth();
      for (m = Math.floor(m / month) * month; (t = Date.UTC(Math.floor(m / 12), m % 12, 1)) <= high; m += month) {
        if (t >= low) list.push([t, month >= 12 ? String(Math.floor(m / 12)) : months[m % 12] + (m % 12 === 0 || !list.length ? " " + Math.floor(m / 12) : "")]);
      }
      return list;
    }
    step = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200, 86400, 172800, 604800, 1209600]
      .map(function (s) { return s * second; }).find(function (s) { return s >= span; }) || 1209600 * second;
    for (t = Math.ceil(low / step) * step; t <= high; t += step) {
      d = new Date(t);
      list.push([t, step >= day ? date(d) + (list.length ? "" : " " + d.getUTCFullYear())
        : two(d.getUTCHours()) + ":" + two(d.getUTCMinutes()) + (step < 60 * second ? ":" + two(d.getUTCSeconds()) : "") + (list.length ? "" : ", " + date(d))]);
    }
    return list;
  }

  // Colors and sizes.
  function mix(list, share) {
    var at = Math.max(0, Math.min(1, share)) * (list.length - 1), k = Math.min(Math.floor(at), list.length - 2), t = at - k;
    return "#" + [1, 3, 5].map(function (i) {
      var a = parseInt(list[k].substr(i, 2), 16), b = parseInt(list[k + 1].substr(i, 2), 16);
      return ("0" + Math.round(a + (b - a) * t).toString(16)).slice(-2);
    }).join("");
  }

  function chart(meta, rows, shared) {
    var end = meta.suffix || "", hidden = {}, colors = {};
    var f = {};
    ["x", "y", "x2", "y2", "c", "v", "s", "t", "g", "f", "r"].forEach(function (name) { f[name] = name + end; });
    (meta.colors ? meta.colors.list : []).forEach(function (pair) { colors[pair[0]] = pair[1]; });
    var home = meta.axes.map(function (a) { return [a.low, a.high]; });
    var view = home.map(function (r) { return r.slice(); });
    var pie = meta.parts.some(function (p) { return p.shape === "wedge"; });
    var root = node(null, "svg", { viewBox: "0 0 " + meta.width + " " + meta.height, role: "img", "font-family": "Liberation Sans, Arial, sans-serif" });
    root.style.cssText = "width:100%;max-width:" + meta.width + "px;height:auto;display:block;background:#fff;touch-action:pan-y";
    var panels = [];
    shared.redraw.push(draw);
    draw();
    listen();
    return root;

    function color(part, row) {
      if (part.color) return part.color;
      if (row[f.c] !== undefined) return colors[row[f.c]];
      if (row[f.v] !== undefined && meta.shades) return mix(meta.shades.range, (row[f.v] - meta.shades.low) / (meta.shades.high - meta.shades.low || 1));
      return "#0072b2";
    }
    function pale(row) {
      return shared.chosen && row[f.r] !== undefined && !shared.chosen[row[f.r]];
    }

    function draw() {
      root.textContent = "";
      panels = [];
      var top = 12, right = legend(), left = 14, bottom = 8, n = meta.panels ? meta.panels.length : 1, across = meta.across || 1;
      if (meta.title) node(root, "text", { x: 12, y: top += 10, "font-size": 16, "font-weight": "bold", fill: "#222" }, meta.title);
      if (meta.note) node(root, "text", { x: 12, y: top += 17, "font-size": 12, fill: "#666" }, meta.note);
      if (!pie && meta.axes[1].title && !meta.axes[1].hidden) node(root, "text", { x: 12, y: top += 18, "font-size": 12.5, fill: "#666" }, meta.axes[1].title);
      top += 10;
      var down = Math.ceil(n / across), strip = meta.panels ? 20 : 0;
      var marks = [[], []], turned = false;
      if (!pie) {
        var room = [(meta.width - right - 60) / across, (meta.height - top - 40) / down];
        marks = meta.axes.map(function (a, k) { return a.hidden ? [] : ticks(a, view[k][0], view[k][1], Math.max(3, Math.floor(room[k] / [60, 28][k]))); });
        left += 8 + Math.max.apply(null, marks[1].map(function (t) { return 6.2 * Math.min(28, t[1].length); }).concat([0]));
        var longest = Math.max.apply(null, marks[0].map(function (t) { return 6.4 * Math.min(28, t[1].length); }).concat([0]));
        turned = meta.axes[0].names && longest > (room[0] - left) / marks[0].length;
        bottom += (meta.axes[0].hidden ? 0 : turned ? longest * 0.6 + 14 : 20) + (meta.axes[0].title && !meta.axes[0].hidden ? 20 : 0);
      }
      var w = (meta.width - left - right - 16 * (across - 1) - 8) / across, h = (meta.height - top - bottom - 16 * (down - 1)) / down - strip;
      for (var k = 0; k < n; k++) {
        var x = left + (k % across) * (w + 16), y = top + Math.floor(k / across) * (h + strip + 16) + strip;
        panels.push({ x: x, y: y, w: w, h: h, name: meta.panels && meta.panels[k] });
        if (meta.panels) node(root, "text", { x: x, y: y - 6, "font-size": 12.5, "font-weight": "bold", fill: "#222" }, meta.panels[k]);
        if (!pie) axes(panels[k], marks, k % across === 0, k + across >= n, turned);
        var clip = "clip" + Math.random().toString(36).slice(2);
        node(node(node(root, "defs"), "clipPath", { id: clip }), "rect", { x: x, y: y, width: w, height: h });
        var group = node(root, "g", pie ? {} : { "clip-path": "url(#" + clip + ")" });
        meta.parts.forEach(function (part, l) {
          items(group, part, rows.filter(function (row) {
            return row.l === l && (!meta.panels || row[f.f] === meta.panels[k]) && !hidden[row[f.c]];
          }), panels[k]);
        });
      }
      if (!pie && meta.axes[0].title && !meta.axes[0].hidden) {
        node(root, "text", { x: left + (meta.width - left - right) / 2, y: meta.height - 8, "font-size": 12.5, fill: "#666", "text-anchor": "middle" }, meta.axes[0].title);
      }
    }

    function short(text) { return text.length > 28 ? text.slice(0, 27) + "…" : text; }

    function axes(p, marks, first, last, turned) {
      var sx = scale(meta.axes[0], view[0][0], view[0][1], p.x, p.x + p.w), sy = scale(meta.axes[1], view[1][0], view[1][1], p.y + p.h, p.y);
      var upright = !meta.axes[1].names && !meta.axes[1].hidden;
      marks[1].forEach(function (t) {
        if (upright) node(root, "line", { x1: p.x, x2: p.x + p.w, y1: sy(t[0]), y2: sy(t[0]), stroke: "#e4e4e4" });
        if (first) node(root, "text", { x: p.x - 6, y: sy(t[0]) + 4, "font-size": 12, fill: "#666", "text-anchor": "end" }, short(t[1]));
      });
      node(root, "line", { x1: p.x, x2: p.x + p.w, y1: p.y + p.h, y2: p.y + p.h, stroke: "#999" });
      var free = -1e9;
      marks[0].forEach(function (t) {
        var x = sx(t[0]), half = t[1].length * 3.2;
        if (!upright && !meta.axes[0].names) node(root, "line", { x1: x, x2: x, y1: p.y, y2: p.y + p.h, stroke: "#e4e4e4" });
        if (!last) return;
        node(root, "line", { x1: x, x2: x, y1: p.y + p.h, y2: p.y + p.h + 4, stroke: "#999" });
        if (turned) {
          node(root, "text", { transform: "translate(" + (x + 4) + "," + (p.y + p.h + 14) + ") rotate(-36)", "font-size": 12, fill: "#666", "text-anchor": "end" }, short(t[1]));
        } else if (meta.axes[0].names || x - half > free) {
          node(root, "text", { x: x, y: p.y + p.h + 17, "font-size": 12, fill: "#666", "text-anchor": "middle" }, t[1]);
          free = x + half + 5;
        }
      });
    }

    function items(group, part, list, p) {
      var sx = scale(meta.axes[0], view[0][0], view[0][1], p.x, p.x + p.w), sy = scale(meta.axes[1], view[1][0], view[1][1], p.y + p.h, p.y);
      function x(row, name) { return row[f[name]] === undefined ? (name === "x" ? p.x : p.x + p.w) : sx(row[f[name]]); }
      function y(row, name) { return row[f[name]] === undefined ? (name === "y" ? p.y + p.h : p.y) : sy(row[f[name]]); }
      var dash = part.dashed ? "5 4" : "none", rim = part.rim ? "#fff" : "none";
      if (part.shape === "line" || part.shape === "area") return paths(group, part, list, sx, sy, dash, rim);
      list.forEach(function (row) {
        var made, c = color(part, row), o = pale(row) ? 0.06 : part.opacity;
        if (part.shape === "point") {
          var area = part.size;
          if (row[f.s] !== undefined && meta.sizes) area = Math.max(6, meta.sizes.area * row[f.s] / meta.sizes.high);
          made = node(group, "circle", { cx: x(row, "x"), cy: y(row, "y"), r: Math.sqrt(area / Math.PI), fill: c, "fill-opacity": o, stroke: rim });
        } else if (part.shape === "rect") {
          var x1 = x(row, "x"), x2 = x(row, "x2"), y1 = y(row, "y"), y2 = y(row, "y2"), gap = Math.abs(x2 - x1) > 6 ? 0.5 : 0;
          made = node(group, "rect", { x: Math.min(x1, x2) + gap, width: Math.max(0, Math.abs(x2 - x1) - 2 * gap), y: Math.min(y1, y2), height: Math.abs(y2 - y1),
            fill: c, "fill-opacity": o, stroke: rim });
        } else if (part.shape === "rule") {
          made = node(group, "line", { x1: x(row, "x"), x2: x(row, "x2"), y1: y(row, "y"), y2: y(row, "y2"), stroke: c, "stroke-opacity": o,
            "stroke-width": part.width || 1, "stroke-dasharray": dash });
        } else if (part.shape === "text") {
          made = node(group, "text", { x: x(row, "x") + (part.dx || 0), y: y(row, "y") - (part.dy || 0) + 4, "font-size": 12, fill: c,
            "text-anchor": part.align ? (part.align < -0.7 ? "end" : "middle") : "start", "pointer-events": "none" }, row[f.t]);
        } else {
          var r = Math.min(p.w, p.h) * 0.48, cx = p.x + p.w / 2, cy = p.y + p.h / 2, from = row[f.x], to = row[f.x2];
          var whole = to - from > 6.2831;
          made = whole ? node(group, "circle", { cx: cx, cy: cy, r: r, fill: c }) : node(group, "path", { fill: c, stroke: "#fff",
            d: "M" + cx + "," + cy + "L" + (cx + r * Math.sin(from)) + "," + (cy - r * Math.cos(from)) + "A" + r + "," + r + " 0 " + (to - from > Math.PI ? 1 : 0) + " 1 " +
              (cx + r * Math.sin(to)) + "," + (cy - r * Math.cos(to)) + "Z" });
          if (row[f.t] && to - from > 0.25) node(group, "text", { x: cx + 0.68 * r * Math.sin((from + to) / 2), y: cy - 0.68 * r * Math.cos((from + to) / 2) + 4,
            "font-size": 12.5, fill: "#fff", "text-anchor": "middle", "pointer-events": "none" }, row[f.t]);
        }
        hover(made, part, row);
      });
    }

    function paths(group, part, list, sx, sy, dash, rim) {
      var groups = [], at = {};
      list.forEach(function (row) {
        if (at[row[f.g]] === undefined) { at[row[f.g]] = groups.length; groups.push([]); }
        groups[at[row[f.g]]].push(row);
      });
      groups.forEach(function (g) {
        var there = "", back = [], c = color(part, g[0]);
        g.forEach(function (row, k) {
          var x = sx(row[f.x]), y = sy(row[f.y]);
          if (part.step && k) there += "H" + x;
          there += (k ? "L" : "M") + x + "," + y;
          back.unshift(part.horizontal ? sx(row[f.x2]) + "," + y : x + "," + sy(row[f.y2]));
        });
        if (part.shape === "line") {
          node(group, "path", { d: there, fill: "none", stroke: c, "stroke-opacity": part.opacity, "stroke-width": part.width, "stroke-dasharray": dash,
            "stroke-linejoin": "round", "pointer-events": "none" });
        } else {
          node(group, "path", { d: there + "L" + back.join("L") + "Z", fill: c, "fill-opacity": part.opacity, "pointer-events": "none" });
          if (rim !== "none") node(group, "path", { d: there, fill: "none", stroke: rim, "pointer-events": "none" });
        }
        if (part.tips) g.forEach(function (row) {
          hover(node(group, "circle", { cx: sx(row[f.x]), cy: sy(row[f.y]), r: 5, fill: c, "fill-opacity": 0 }), part, row);
        });
      });
    }

    // The values of a mark under the pointer.
    function hover(made, part, row) {
      if (!part.tips) return;
      made.addEventListener("pointerenter", function (event) {
        shared.tip.textContent = "";
        part.tips.forEach(function (title, k) {
          var text = row["t" + k + end];
          if (text === undefined || text === "") return;
          var line = html("div");
          line.appendChild(html("span", "color:#666", title + " "));
          line.appendChild(html("b", "", text));
          shared.tip.appendChild(line);
        });
        shared.tip.style.display = "block";
        var frame = shared.holder.getBoundingClientRect(), x = event.clientX - frame.left + 14;
        shared.tip.style.left = Math.max(0, Math.min(x, frame.width - shared.tip.offsetWidth)) + "px";
        shared.tip.style.top = event.clientY - frame.top + 14 + "px";
        if (made.getAttribute("fill-opacity") === "0") made.setAttribute("fill-opacity", "0.9");
      });
      made.addEventListener("pointerleave", function () {
        shared.tip.style.display = "none";
        if (made.getAttribute("fill-opacity") === "0.9" && made.getAttribute("r") === "5") made.setAttribute("fill-opacity", "0");
      });
    }

    // The legend; its width is returned.
    function legend() {
      var y = 20, width = 0, list = [];
      function widen(text, more) { width = Math.max(width, short(text).length * 6.6 + more); }
      if (meta.colors && !meta.colors.hidden) { widen(meta.colors.title, 4); meta.colors.list.forEach(function (p) { widen(p[0], 22); }); list.push("colors"); }
      if (meta.shades) { widen(meta.shades.title, 4); width = Math.max(width, 70); list.push("shades"); }
      if (meta.sizes) { widen(meta.sizes.title, 4); width = Math.max(width, 70); list.push("sizes"); }
      if (!list.length) return 6;
      var x = meta.width - width - 4;
      function heading(text) { node(root, "text", { x: x, y: y, "font-size": 12.5, fill: "#666" }, short(text)); y += 8; }
      if (list.indexOf("colors") >= 0) {
        heading(meta.colors.title);
        meta.colors.list.forEach(function (pair) {
          var entry = node(root, "g", { opacity: hidden[pair[0]] ? 0.35 : 1, tabindex: 0, role: "button", "aria-pressed": hidden[pair[0]] ? "false" : "true" });
          entry.style.cursor = "pointer";
          node(entry, "rect", { x: x, y: y, width: width, height: 17, fill: "#fff", "fill-opacity": 0 });
          node(entry, "circle", { cx: x + 5, cy: y + 9, r: 4.5, fill: pair[1] });
          node(entry, "text", { x: x + 18, y: y + 13, "font-size": 12, fill: "#222" }, short(pair[0]));
          function toggle() { hidden[pair[0]] = !hidden[pair[0]]; draw(); }
          entry.addEventListener("click", toggle);
          entry.addEventListener("keydown", function (event) {
            if (event.key === "Enter" || event.key === " ") { event.preventDefault(); event.stopPropagation(); toggle(); }
          });
          y += 17;
        });
        y += 24;
      }
      if (list.indexOf("shades") >= 0) {
        heading(meta.shades.title);
        for (var k = 0; k < 60; k++) node(root, "rect", { x: x, y: y + 2 * (59 - k), width: 13, height: 2.5, fill: mix(meta.shades.range, (k + 0.5) / 60) });
        if (meta.shades.high > meta.shades.low) ticks({}, meta.shades.low, meta.shades.high, 4).forEach(function (t) {
          node(root, "text", { x: x + 20, y: y + 124 - 120 * (t[0] - meta.shades.low) / (meta.shades.high - meta.shades.low), "font-size": 12, fill: "#222" }, t[1]);
        });
        y += 150;
      }
      if (list.indexOf("sizes") >= 0) {
        heading(meta.sizes.title);
        ticks({}, 0, meta.sizes.high, 4).forEach(function (t) {
          if (!(t[0] > 0)) return;
          var r = Math.sqrt(Math.max(6, meta.sizes.area * t[0] / meta.sizes.high) / Math.PI), tall = Math.max(17, 2 * r + 3);
          node(root, "circle", { cx: x + 13, cy: y + tall / 2, r: r, fill: "#999" });
          node(root, "text", { x: x + 32, y: y + tall / 2 + 4, "font-size": 12, fill: "#222" }, t[1]);
          y += tall;
        });
      }
      return width + 18;
    }

    // Dragging, the wheel and double clicks.
    function listen() {
      var start = null, frame = null;
      function at(event) {
        var box = root.getBoundingClientRect(), k = meta.width / box.width;
        return [(event.clientX - box.left) * k, (event.clientY - box.top) * k];
      }
      function panelOf(point) {
        return panels.find(function (p) { return point[0] >= p.x && point[0] <= p.x + p.w && point[1] >= p.y && point[1] <= p.y + p.h; });
      }
      function free(k) { return !meta.axes[k].names && !meta.axes[k].hidden; }
      if (pie) return;
      root.addEventListener("pointerdown", function (event) {
        var point = at(event), p = panelOf(point);
        if (!p || event.button) return;
        start = { point: point, panel: p, view: view.map(function (r) { return r.slice(); }) };
        root.setPointerCapture(event.pointerId);
        shared.tip.style.display = "none";
        event.preventDefault();
      });
      root.addEventListener("pointermove", function (event) {
        if (!start) return;
        var point = at(event), p = start.panel;
        if (meta.brush) {
          if (frame) frame.remove();
          frame = node(root, "rect", { x: Math.min(point[0], start.point[0]), y: Math.min(point[1], start.point[1]), width: Math.abs(point[0] - start.point[0]),
            height: Math.abs(point[1] - start.point[1]), fill: "#888", "fill-opacity": 0.15, stroke: "#888", "pointer-events": "none" });
          return;
        }
        var moved = [(point[0] - start.point[0]) / p.w, -(point[1] - start.point[1]) / p.h];
        view = start.view.map(function (r, k) {
          return free(k) ? [unscale(meta.axes[k], r[0], r[1], -moved[k]), unscale(meta.axes[k], r[0], r[1], 1 - moved[k])] : r;
        });
        draw();
      });
      root.addEventListener("pointerup", function (event) {
        if (!start) return;
        var point = at(event), from = start.point, p = start.panel;
        start = null;
        if (!meta.brush) return;
        choose(p, from, point);
      });
      root.addEventListener("pointercancel", function () { start = null; });
      root.addEventListener("dblclick", function () {
        view = home.map(function (r) { return r.slice(); });
        draw();
      });
      root.addEventListener("wheel", function (event) {
        var point = at(event), p = panelOf(point);
        if (!p || !(event.ctrlKey || event.metaKey || event.shiftKey || document.activeElement === root)) return;
        event.preventDefault();
        var factor = Math.pow(1.0015, event.deltaY || event.deltaX), share = [(point[0] - p.x) / p.w, 1 - (point[1] - p.y) / p.h];
        view = view.map(function (r, k) {
          return free(k) ? [unscale(meta.axes[k], r[0], r[1], share[k] * (1 - factor)), unscale(meta.axes[k], r[0], r[1], share[k] + (1 - share[k]) * factor)] : r;
        });
        draw();
      }, { passive: false });
      root.setAttribute("tabindex", "0");
      root.style.outline = "none";
    }

    // Chooses the rows in a rectangle; a click without dragging chooses all.
    function choose(p, from, to) {
      var sx = scale(meta.axes[0], view[0][0], view[0][1], p.x, p.x + p.w), sy = scale(meta.axes[1], view[1][0], view[1][1], p.y + p.h, p.y);
      var list = null, chosen = null;
      if (Math.abs(from[0] - to[0]) > 3 || Math.abs(from[1] - to[1]) > 3) {
        chosen = {};
        list = [];
        rows.forEach(function (row) {
          if (meta.parts[row.l].shape !== "point" || row[f.r] === undefined || p.name && row[f.f] !== p.name || hidden[row[f.c]]) return;
          var x = sx(row[f.x]), y = sy(row[f.y]);
          if (x < Math.min(from[0], to[0]) || x > Math.max(from[0], to[0]) || y < Math.min(from[1], to[1]) || y > Math.max(from[1], to[1])) return;
          if (!chosen[row[f.r]]) list.push(row[f.r]);
          chosen[row[f.r]] = true;
        });
      }
      shared.chosen = chosen;
      shared.redraw.forEach(function (again) { again(); });
      shared.box.dispatchEvent(new CustomEvent("gosphere-chosen", { bubbles: true, detail: list }));
    }
  }
})();
