// Makes tables of display sort by a click on a heading, search and turn pages. It needs nothing of the network, and where it
// does not run, the first and last rows that stand in the page remain.
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

  function enliven(box) {
    var source = box.querySelector("script[type='application/json']");
    if (!source || box.getAttribute("data-live")) return;
    box.setAttribute("data-live", "1");
    var data = JSON.parse(source.textContent);
    var state = { by: -1, down: false, word: "", page: 0, size: 10 };
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
    [search, size, back, where, next].forEach(function (part) { bar.appendChild(part); });

    var table = element("table");
    var head = element("thead");
    var heads = [];
    if (data.head) {
      var line = element("tr");
      data.head.forEach(function (name, k) {
        var cell = element("th", undefined, "text-align:" + (data.numeric[k] ? "right" : "left"));
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
        line.appendChild(cell);
        heads.push([cell, button, name]);
      });
      head.appendChild(line);
      table.appendChild(head);
    }
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
    draw();

    function found() {
      var rows = data.rows;
      if (state.word) {
        rows = rows.filter(function (row) {
          return row.some(function (text) { return text.toLowerCase().indexOf(state.word) >= 0; });
        });
      }
      var k = state.by;
      if (k < 0) return rows;
      return rows.slice().sort(function (a, b) {
        var x = a[k] || "", y = b[k] || "";
        var order = data.numeric[k] ? number(x) - number(y) || 0 : compare(x, y);
        return state.down ? -order : order;
      });
    }

    function draw() {
      var rows = found(), first = state.page * state.size, last = Math.min(first + state.size, rows.length);
      while (body.firstChild) body.removeChild(body.firstChild);
      rows.slice(first, last).forEach(function (row) {
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
      var text = rows.length ? first + 1 + "–" + last + " of " + rows.length : "no rows";
      if (rows.length < data.rows.length) text += " found in " + data.rows.length;
      if (data.more) text += " (" + data.more + ")";
      where.textContent = text;
      back.disabled = state.page === 0;
      next.disabled = last >= rows.length;
    }
  }
})();
