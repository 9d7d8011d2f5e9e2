"use strict";
// Lists the checks of a suite: filters, sorts, and writes rows as they are looked at.
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const AT_ONCE = 200;
  const LONGEST = 48;  // letters of a name in the list
  const body = document.getElementById("cases");
  const search = document.getElementById("search");
  const selects = [...document.querySelectorAll("select[data-label]")];
  const chips = [...document.querySelectorAll(".chip")];
  const sorters = [...document.querySelectorAll("[data-sort]")];
  const more = document.getElementById("more");
  const clear = document.getElementById("clear");
  const open = new Set();
  let sort = { by: "outcome", down: false };
  let limit = AT_ONCE;

  for (const one of data.cases) {
    one.grave = data.order.indexOf(one.outcome);
    one.haystack = (one.name + "\n" + one.summary).toLowerCase();
  }

  function element(tag, className, text) {
    const made = document.createElement(tag);
    if (className) made.className = className;
    if (text !== undefined) made.textContent = text;
    return made;
  }

  // Long names differ at their ends: what is cut is the middle.
  function cut(name) {
    return name.length <= LONGEST ? name : name.slice(0, LONGEST / 2 - 6) + "…" + name.slice(-(LONGEST / 2 + 5));
  }

  function badge(outcome) {
    const made = element("span", "badge " + data.tones[outcome]);
    const sign = element("span", "sign", data.signs[outcome]);
    sign.setAttribute("aria-hidden", "true");
    made.append(sign, " " + outcome);
    return made;
  }

  function pressed() {
    return chips.filter((chip) => chip.getAttribute("aria-pressed") === "true").map((chip) => chip.dataset.outcome);
  }

  function matching() {
    const outcomes = pressed();
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    const labels = selects.filter((one) => one.value !== "").map((one) => [one.dataset.label, one.value]);
    const found = data.cases.filter((one) =>
      (!outcomes.length || outcomes.includes(one.outcome))
      && labels.every(([label, value]) => one.labels[label] === value)
      && words.every((word) => one.haystack.includes(word)));
    const sign = sort.down ? -1 : 1;
    const key = { outcome: (one) => one.grave, name: (one) => one.name, evaluations: (one) => one.evaluations, seconds: (one) => one.seconds }[sort.by];
    const compare = (a, b) => (typeof key(a) === "string" ? key(a).localeCompare(key(b), undefined, { numeric: true }) : key(a) - key(b));
    return found.sort((a, b) => sign * compare(a, b));
  }

  function rows(one) {
    const id = "told-" + data.cases.indexOf(one);
    const row = element("tr", "case");
    const outcome = element("td", "c-outcome");
    outcome.append(badge(one.outcome));
    const name = element("td", "c-name");
    const button = element("button", "unfold");
    button.type = "button";
    button.setAttribute("aria-expanded", String(open.has(one.name)));
    button.setAttribute("aria-controls", id);
    button.append(element("code", "", cut(one.name)));
    button.title = one.name;
    name.append(button);
    if (one.summary) {
      const summary = element("span", "line-summary", one.summary);
      summary.title = one.summary;
      name.append(summary);
    }
    const labels = data.columns.map((label) => {
      const cell = element("td", "c-label", one.labels[label] || "");
      cell.title = `${label} ${one.labels[label] || "–"}`;
      return cell;
    });
    const isAsked = one.outcome !== "REFUSED";
    row.append(outcome, name, ...labels,
      element("td", "c-number", isAsked ? one.evaluations.toLocaleString("en") : ""),
      element("td", "c-number", isAsked ? one.seconds.toPrecision(2).replace(/\.?0+(e|$)/, "$1") : ""));
    row.addEventListener("click", (event) => {
      if (!event.target.closest("button") && String(getSelection())) return;  // selecting is not unfolding
      toggle(one, row, button, id);
    });
    if (open.has(one.name)) queueMicrotask(() => unfold(one, row, id));
    return row;
  }

  function toggle(one, row, button, id) {
    const isOpen = open.has(one.name);
    button.setAttribute("aria-expanded", String(!isOpen));
    if (isOpen) {
      open.delete(one.name);
      const told = document.getElementById(id);
      if (told) told.remove();
    } else {
      open.add(one.name);
      unfold(one, row, id);
    }
    remember();
  }

  function unfold(one, row, id) {
    const told = element("tr", "details");
    told.id = id;
    const cell = element("td", "told");
    cell.colSpan = row.cells.length;
    told.append(cell);
    row.after(told);
    const labels = Object.entries(one.labels).map((pair) => pair.join(" "));
    if (labels.length || cut(one.name) !== one.name) {
      const about = element("p", "about whole");
      about.append(element("code", "", one.name), labels.length ? " · " + labels.join(" · ") : "");
      cell.append(about);
    }
    if (one.refusal !== undefined) {
      const refused = element("article", "card finding refused");
      refused.append(element("h3", "", "The question could not be asked"), element("p", "", one.refusal));
      cell.append(refused);
    }
    for (const card of one.cards) cell.append(finding(card));
    if (one.rerun) {
      const command = element("pre", "command");
      command.append(element("code", "", one.rerun));
      cell.append(command);
    }
    if (one.panels.length) draw(one, cell);
    if (one.facts.length) cell.append(element("p", "about", one.facts.join(" · ")));
  }

  function finding(card) {
    const made = element("article", "card finding " + card.outcome.tone);
    const title = element("h3");
    title.append(badge(card.outcome.name), " " + card.title);
    const list = element("dl", "rows");
    for (const [label, text, aside, link] of card.rows) {
      const line = element("div", "row-" + label);
      const said = element("dd", "", link ? undefined : text);
      if (link) {
        const led = element("a", "", text);
        led.href = link;
        said.append(led);
      }
      if (aside) said.append(" ", element("span", "aside", aside));
      line.append(element("dt", "", label), said);
      list.append(line);
    }
    made.append(title, list);
    if (card.table.length) made.append(table(card.table));
    return made;
  }

  function table(cells) {
    const scroll = element("div", "scroll");
    const made = element("table", "entries");
    const head = element("tr");
    for (const word of ["entry", "claimed", "measured ± error"]) {
      const cell = element("th", "", word);
      cell.scope = "col";
      head.append(cell);
    }
    made.createTHead().append(head);
    const rows = made.createTBody();
    for (const row of cells) {
      const line = rows.insertRow();
      for (const text of row) line.insertCell().textContent = text;
    }
    scroll.append(made);
    return scroll;
  }

  function draw(one, cell) {
    const groups = { maps: element("div", "maps"), charts: element("div", "charts") };
    cell.append(groups.maps, groups.charts);
    for (const panel of one.panels) {
      const isChart = panel.kind === "residuals" || panel.kind === "steps";
      const figure = element("figure", "card plot");
      figure.dataset.kind = panel.kind;
      figure.append(element("figcaption"), element("div", "canvas"));
      if (isChart) figure.append(element("p", "says"));
      groups[isChart ? "charts" : "maps"].append(figure);
      secant.draw(figure, panel);
    }
  }

  function remember() {
    const kept = new URLSearchParams();
    if (search.value.trim()) kept.set("q", search.value.trim());
    if (pressed().length) kept.set("outcome", pressed().join(","));
    for (const one of selects) if (one.value !== "") kept.set("label." + one.dataset.label, one.value);
    if (sort.by !== "outcome" || sort.down) kept.set("sort", (sort.down ? "-" : "") + sort.by);
    for (const name of open) kept.append("open", name);
    const hash = kept.toString();
    history.replaceState(null, "", hash ? "#" + hash : location.pathname + location.search);
    clear.hidden = !(search.value || pressed().length || selects.some((one) => one.value !== ""));
  }

  function recall() {
    const kept = new URLSearchParams(location.hash.slice(1));
    search.value = kept.get("q") || "";
    const outcomes = (kept.get("outcome") || "").split(",");
    for (const chip of chips) chip.setAttribute("aria-pressed", String(outcomes.includes(chip.dataset.outcome)));
    for (const one of selects) {
      const value = kept.get("label." + one.dataset.label) || "";
      one.value = [...one.options].some((option) => option.value === value) ? value : "";
    }
    const by = kept.get("sort") || "outcome";
    const name = by.replace(/^-/, "");
    sort = sorters.some((one) => one.dataset.sort === name) ? { by: name, down: by.startsWith("-") } : { by: "outcome", down: false };
    open.clear();
    for (const one of kept.getAll("open")) open.add(one);
  }

  function list() {
    const found = matching();
    const shown = found.slice(0, limit);
    body.replaceChildren(...shown.map(rows));
    const count = (number) => number.toLocaleString("en");
    document.getElementById("shown").textContent = found.length === data.cases.length
      ? `${count(found.length)} ${found.length === 1 ? "check" : "checks"}`
      : `${count(found.length)} of ${count(data.cases.length)} checks`;
    document.getElementById("none").hidden = found.length > 0;
    more.hidden = found.length <= limit;
    more.textContent = `show ${count(Math.min(AT_ONCE, found.length - limit))} more of ${count(found.length - limit)}`;
    for (const one of sorters) {
      const isIt = one.dataset.sort === sort.by;
      one.closest("th").setAttribute("aria-sort", isIt ? (sort.down ? "descending" : "ascending") : "none");
    }
    remember();
  }

  function anew() {
    limit = AT_ONCE;
    list();
  }

  let waiting = 0;
  search.addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(anew, 80);
  });
  for (const one of selects) one.addEventListener("change", anew);
  for (const chip of chips) {
    chip.addEventListener("click", () => {
      chip.setAttribute("aria-pressed", String(chip.getAttribute("aria-pressed") !== "true"));
      anew();
    });
  }
  for (const one of sorters) {
    one.addEventListener("click", () => {
      const isNumber = one.dataset.sort === "evaluations" || one.dataset.sort === "seconds";
      sort = { by: one.dataset.sort, down: sort.by === one.dataset.sort ? !sort.down : isNumber };
      anew();
    });
  }
  more.addEventListener("click", () => {
    const next = limit;
    limit += AT_ONCE;
    list();
    const first = body.querySelectorAll(".unfold")[next];
    if (first) first.focus();
  });
  clear.addEventListener("click", () => {
    search.value = "";
    for (const one of selects) one.value = "";
    for (const chip of chips) chip.setAttribute("aria-pressed", "false");
    anew();
    search.focus();
  });
  document.addEventListener("keydown", (event) => {
    const isTyping = event.target.closest("input, select, textarea");
    if (event.key === "/" && !isTyping) {
      event.preventDefault();
      search.focus();
    }
  });
  window.addEventListener("hashchange", () => {
    recall();
    anew();
  });
  recall();
  anew();
})();
