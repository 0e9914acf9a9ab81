// Makes tables of display sort by a click on a heading, search, filter columns and turn pages. It needs nothing of the network,
// and where it does not run, the first and last rows that stand in the page remain.
(function () {
  "use strict";
  var own = document.currentScript && document.currentScript.closest(".gosphere-table");
  var boxes = own ? [own] : document.querySelectorAll(".gosphere-table");
  Array.prototype.forEach.call(boxes, enliven);

  function element(name, text, style) {
    var made = document.createElement(name);
    if (text !== undefined) made.textContent = text;
    if (style) made.style.cssText = style;
    return made;
  }

  function number(text) {
    var value = parseFloat(text.replace("−", "-"));
    return isNaN(value) ? -Infinity : value;
  }

  // The condition of a filter: of numbers > 5, <= 5, = 5, 1..9 and != 5, of texts a part or =text. NULL stands for itself.
  function condition(text, numeric) {
    text = text.trim();
    if (!text) return null;
    if (/^!?=?\s*null$/i.test(text)) {
      var no = text.charAt(0) === "!";
      return function (cell) { return (cell === "NULL") !== no; };
    }
    var range = /^(-?[\d.eE+-]+?)\.\.(-?[\d.eE+-]+)$/.exec(text);
    if (numeric && range) {
      return function (cell) { var x = number(cell); return x >= parseFloat(range[1]) && x <= parseFloat(range[2]); };
    }
    var relation = /^(>=|<=|!=|>|<|=)\s*(.+)$/.exec(text);
    if (relation && numeric && !isNaN(parseFloat(relation[2]))) {
      var y = parseFloat(relation[2]);
      return function (cell) {
        if (cell === "NULL" || cell === "") return false;
        var x = number(cell);
        switch (relation[1]) {
          case ">": return x > y;
          case ">=": return x >= y;
          case "<": return x < y;
          case "<=": return x <= y;
          case "!=": return x !== y;
        }
        return x === y;
      };
    }
    if (relation && (relation[1] === "=" || relation[1] === "!=")) {
      return function (cell) { return (cell.toLowerCase() === relation[2].toLowerCase()) === (relation[1] === "="); };
    }
    var part = text.toLowerCase();
    return function (cell) { return cell.toLowerCase().indexOf(part) >= 0; };
  }

  // Returns a function that asks the kernel, through a hidden text field and a hidden element with the answer, and reports
  // whether these are in the page. Only the answer to the last question counts.
  function link(names, answered) {
    var own = Math.random().toString(36).slice(2), last = 0, watched = null;
    return function (question) {
      var field = document.querySelector("." + names[0] + " input"), place = document.querySelector("." + names[1]);
      if (!field || !place) return false;
      if (watched !== place) {
        watched = place;
        new MutationObserver(function () {
          try {
            var answer = JSON.parse(place.textContent);
            if (answer.id === own + last) answered(answer);
          } catch (error) { /* the element is being changed */ }
        }).observe(place, { childList: true, subtree: true, characterData: true });
      }
      question.id = own + ++last;
      field.value = JSON.stringify(question);
      field.dispatchEvent(new Event("input", { bubbles: true }));
      field.dispatchEvent(new Event("change", { bubbles: true }));
      return true;
    };
  }

  function color(label) { return /^\d+ other values$/.test(label) ? "#c4c4c4" : "#7a9cc6"; }

  function profile(cell, of) {
    if (of.counts && of.counts.length) {
      var most = Math.max.apply(null, of.counts);
      var bars = element("div", undefined, "display:flex;align-items:flex-end;gap:1px;height:24px;margin-top:.2em");
      bars.setAttribute("role", "img");
      bars.setAttribute("aria-label", of.labels.map(function (label, n) { return label + ": " + of.counts[n]; }).slice(0, 14).join(", "));
      of.counts.forEach(function (count, n) {
        var bar = element("span", undefined, "width:6px;background:" + color(of.labels[n]) + ";height:" + Math.ceil(24 * count / most) + "px");
        bar.title = of.labels[n] + ": " + count;
        bars.appendChild(bar);
      });
      cell.appendChild(bars);
    }
    if (of.missing) cell.appendChild(element("div", of.missing + " missing", "font-weight:normal;font-size:.85em;color:#b35900"));
  }

  function enliven(box) {
    var source = box.querySelector("script[type='application/json']");
    if (!source || box.getAttribute("data-live")) return;
    box.setAttribute("data-live", "1");
    var data = JSON.parse(source.textContent);
    var state = { by: -1, down: false, word: "", page: 0, size: 10, filters: [], texts: [] };
    var kernel = data.remote && link(data.remote, answered);
    var compare = new Intl.Collator(undefined, { numeric: true }).compare;
    while (box.firstChild) box.removeChild(box.firstChild);

    var bar = element("div", undefined, "display:flex;flex-wrap:wrap;gap:.8em;align-items:center;margin:.3em 0");
    var search = element("input", undefined, "font:inherit;padding:.1em .4em;max-width:14em");
    search.type = "search";
    search.placeholder = "Search";
    search.setAttribute("aria-label", "Search the table");
    var size = element("select", undefined, "font:inherit");
    size.setAttribute("aria-label", "Rows on a page");
    [10, 25, 100].forEach(function (n) {
      var option = element("option", n + " rows");
      option.value = n;
      size.appendChild(option);
    });
    var back = element("button", "‹", "font:inherit");
    back.setAttribute("aria-label", "Previous page");
    var next = element("button", "›", "font:inherit");
    next.setAttribute("aria-label", "Next page");
    var where = element("span");
    var filter = element("button", "Filter", "font:inherit");
    filter.setAttribute("aria-expanded", "false");
    [search, filter, size, back, where, next].forEach(function (part) { bar.appendChild(part); });

    var table = element("table");
    var head = element("thead");
    var heads = [];
    if (data.head) {
      var line = element("tr");
      data.head.forEach(function (name, k) {
        var cell = element("th", undefined, "vertical-align:top;text-align:" + (data.numeric[k] ? "right" : "left"));
        var button = element("button", name, "all:unset;cursor:pointer;font:inherit;font-weight:inherit");
        button.title = "Sort by this column";
        button.onclick = function () {
          if (state.by !== k) { state.by = k; state.down = false; }
          else if (!state.down) state.down = true;
          else state.by = -1;
          state.page = 0;
          draw();
        };
        cell.appendChild(button);
        if (data.types && data.types[k]) cell.appendChild(element("div", data.types[k], "font-weight:normal;font-size:.85em;opacity:.7"));
        if (data.profiles && data.profiles[k]) profile(cell, data.profiles[k]);
        line.appendChild(cell);
        heads.push([cell, button, name]);
      });
      head.appendChild(line);
      var filters = element("tr");
      filters.hidden = true;
      data.head.forEach(function (name, k) {
        var cell = element("th", undefined, "text-align:left");
        var input = element("input", undefined, "font:inherit;font-weight:normal;width:100%;min-width:4em;max-width:12em;box-sizing:border-box;padding:.1em .3em");
        input.type = "search";
        input.placeholder = data.numeric[k] ? "> 0, 1..9" : "text, =text";
        input.setAttribute("aria-label", "Filter " + name);
        input.oninput = function () {
          state.filters[k] = condition(input.value, data.numeric[k]);
          state.texts[k] = input.value;
          state.page = 0;
          draw();
        };
        cell.appendChild(input);
        filters.appendChild(cell);
      });
      head.appendChild(filters);
      filter.onclick = function () {
        filters.hidden = !filters.hidden;
        filter.setAttribute("aria-expanded", String(!filters.hidden));
      };
      table.appendChild(head);
    }
    if (!data.head) bar.removeChild(filter);
    var body = element("tbody");
    table.appendChild(body);
    var frame = element("div", undefined, "overflow-x:auto");
    frame.appendChild(table);
    box.appendChild(bar);
    box.appendChild(frame);
    box.appendChild(source);

    search.oninput = function () { state.word = search.value.toLowerCase(); state.page = 0; draw(); };
    size.onchange = function () { state.size = +size.value; state.page = 0; draw(); };
    back.onclick = function () { state.page--; draw(); };
    next.onclick = function () { state.page++; draw(); };
    if (kernel) show(data.rows.slice(0, state.size), 0, data.height, data.height);
    else draw();

    function found() {
      var rows = data.rows;
      if (state.word) {
        rows = rows.filter(function (row) {
          return row.some(function (text) { return text.toLowerCase().indexOf(state.word) >= 0; });
        });
      }
      state.filters.forEach(function (holds, k) {
        if (holds) rows = rows.filter(function (row) { return holds(row[k] || ""); });
      });
      var k = state.by;
      if (k < 0) return rows;
      return rows.slice().sort(function (a, b) {
        var x = a[k] || "", y = b[k] || "";
        var order = data.numeric[k] ? number(x) - number(y) || 0 : compare(x, y);
        return state.down ? -order : order;
      });
    }

    function draw() {
      var first = state.page * state.size;
      if (!kernel) {
        var rows = found();
        show(rows.slice(first, first + state.size), first, rows.length, data.rows.length);
        return;
      }
      var texts = data.head.map(function (_, k) { return state.texts[k] || ""; });
      var asked = kernel({ by: state.by, down: state.down, word: state.word, filters: texts, first: first, size: state.size });
      where.textContent = asked ? "…" : "all rows need the running kernel: run the cell again";
    }

    function answered(answer) {
      if (answer.error) where.textContent = answer.error;
      else show(answer.rows, answer.first, answer.count, data.height);
    }

    // Shows rows from a position among those that were found.
    function show(rows, first, count, total) {
      var last = first + rows.length;
      while (body.firstChild) body.removeChild(body.firstChild);
      rows.forEach(function (row) {
        var line = element("tr");
        row.forEach(function (text, k) {
          line.appendChild(element("td", text, "text-align:" + (data.numeric[k] ? "right" : "left")));
        });
        body.appendChild(line);
      });
      heads.forEach(function (h, k) {
        h[0].setAttribute("aria-sort", state.by !== k ? "none" : state.down ? "descending" : "ascending");
        h[1].textContent = h[2] + (state.by !== k ? "" : state.down ? " ▼" : " ▲");
      });
      var text = count ? first + 1 + "–" + last + " of " + count : "no rows";
      if (count < total) text += " found in " + total;
      if (data.more) text += " (" + data.more + ")";
      where.textContent = text;
      back.disabled = state.page === 0;
      next.disabled = last >= count;
    }
  }
})();
