(function () {
  "use strict";
  var store = JSON.parse(document.getElementById("report-data").textContent);
  var config = { displayModeBar: false, responsive: true, showTips: false, doubleClick: false };

  function all(selector, root) {
    return Array.prototype.slice.call((root || document).querySelectorAll(selector));
  }

  // --- plots ---------------------------------------------------------------------------------------------

  function draw() {
    all(".plot[data-figure]").forEach(function (place) {
      var figure = store.figures[place.getAttribute("data-figure")];
      Plotly.newPlot(place, figure.data, figure.layout, config);
    });
    var scatter = document.getElementById("plot-scatter");
    if (scatter && scatter.on) {
      scatter.on("plotly_click", function (event) { choose(String(event.points[0].customdata)); });
    }
  }

  // --- the curve of one question -------------------------------------------------------------------------

  var select = document.getElementById("curve-item");
  var curves = store.curves;

  function others() {
    var x = [], y = [];
    curves.background.forEach(function (number) {
      x = x.concat(curves.theta, [null]);
      y = y.concat(curves.items[number], [null]);
    });
    return { type: "scatter", mode: "lines", x: x, y: y, hoverinfo: "skip",
             line: { color: curves.colours.background, width: 0.8 }, opacity: 0.7 };
  }

  function answers(number, outcome, height, colour, word) {
    var picked = curves.abilities.map(function (_, i) { return i; }).filter(function (i) {
      return curves.outcomes[number][i] === outcome;
    });
    return { type: "scatter", mode: "markers",
             x: picked.map(function (i) { return curves.abilities[i]; }),
             y: picked.map(function () { return height; }),
             text: picked.map(function (i) { return curves.examinees[i] + "<br>" + word; }),
             hovertemplate: "%{text}<extra></extra>",
             marker: { symbol: "line-ns", size: 12, line: { width: 2, color: colour } } };
  }

  function curve(number) {
    var line = { type: "scatter", mode: "lines", x: curves.theta, y: curves.items[number],
                 line: { color: curves.colours.line, width: 3 },
                 hovertemplate: "\u03b8 %{x:.2f}<br>%{y:.0%}<extra></extra>" };
    var traces = [others(), line, answers(number, "1", 1, curves.colours.right, "right"),
                  answers(number, "0", 0, curves.colours.wrong, "wrong")];
    Plotly.react(document.getElementById("plot-curve"), traces, curves.layout, config);
  }

  function choose(number) {
    if (!select || !curves.items[number]) { return; }
    select.value = number;
    curve(number);
  }

  // --- sorting -------------------------------------------------------------------------------------------

  function order(a, b) {
    // what is unknown stays at the end either way
    if (a === "" || b === "") { return a === b ? 0 : a === "" ? 2 : -2; }
    var difference = Number(a) - Number(b);
    if (!isNaN(difference)) { return Math.sign(difference); }
    return a < b ? -1 : a > b ? 1 : 0;
  }

  function sortBy(holder, column, button) {
    var rows = all("[data-row]", holder);
    var head = button.parentElement;
    var falling = head.getAttribute("aria-sort") === "ascending";
    all("[aria-sort]", holder).forEach(function (other) { other.removeAttribute("aria-sort"); });
    head.setAttribute("aria-sort", falling ? "descending" : "ascending");
    var keyed = rows.map(function (row, place) {
      return { row: row, place: place, value: all("[data-value]", row)[column].getAttribute("data-value") };
    });
    keyed.sort(function (one, two) {
      var found = order(one.value, two.value);
      if (Math.abs(found) === 2) { return found; }
      return (falling ? -found : found) || one.place - two.place;
    });
    var parent = rows.length ? rows[0].parentElement : null;
    keyed.forEach(function (entry) { parent.appendChild(entry.row); });
  }

  all("[data-sortable]").forEach(function (holder) {
    all("button.sort", holder).forEach(function (button, column) {
      button.addEventListener("click", function () { sortBy(holder, column, button); });
    });
  });

  // --- the table of questions ----------------------------------------------------------------------------

  var filter = document.getElementById("item-filter");
  var flagged = document.getElementById("item-flagged");
  var items = all("details.item").map(function (row) {
    var summary = row.querySelector("summary").textContent + " " + row.getAttribute("data-find");
    return { row: row, text: summary.toLowerCase(), flagged: row.hasAttribute("data-flagged") };
  });

  function narrow() {
    var terms = filter.value.toLowerCase().split(/\s+/).filter(Boolean);
    var shown = 0;
    items.forEach(function (item) {
      var fits = terms.every(function (word) { return item.text.indexOf(word) >= 0; });
      item.row.hidden = !(fits && (item.flagged || !flagged.checked));
      shown += item.row.hidden ? 0 : 1;
    });
    var whole = items.length + (items.length === 1 ? " question" : " questions");
    document.getElementById("item-count").textContent = shown === items.length ? whole : shown + " of " + whole;
  }

  if (filter) {
    filter.addEventListener("input", narrow);
    flagged.addEventListener("change", narrow);
  }

  all("button[data-curve]").forEach(function (button) {
    button.addEventListener("click", function () {
      choose(button.getAttribute("data-curve"));
      document.getElementById("plot-curve").scrollIntoView({ block: "center" });
    });
  });

  function openTarget() {
    var target = /^#item-\d+$/.test(location.hash) && document.getElementById(location.hash.slice(1));
    if (!target) { return; }
    if (target.hidden) {
      filter.value = "";
      flagged.checked = false;
      narrow();
    }
    target.open = true;
    target.scrollIntoView();
  }
  window.addEventListener("hashchange", openTarget);
  // the address of a link that is followed twice does not change
  all('a[href^="#item-"]').forEach(function (link) {
    link.addEventListener("click", function () { setTimeout(openTarget); });
  });

  // a plot that was drawn while its place was closed has no width of its own
  all("details").forEach(function (holder) {
    holder.addEventListener("toggle", function () {
      if (!holder.open) { return; }
      all(".plot", holder).forEach(function (place) { if (place.data) { Plotly.Plots.resize(place); } });
    });
  });

  // --- paper ---------------------------------------------------------------------------------------------

  // what A4 leaves between its margins, in pixels
  var PAPER = 680;

  function widths(fit) {
    all(".plot").forEach(function (place) {
      if (!place.data) { return; }
      Plotly.relayout(place, fit ? { width: PAPER } : { width: null, autosize: true });
    });
  }
  window.addEventListener("beforeprint", function () { widths(true); });
  window.addEventListener("afterprint", function () { widths(false); });

  draw();
  if (select) {
    select.addEventListener("change", function () { curve(select.value); });
    curve(select.value);
  }
  openTarget();
})();
