"use strict";
(() => {
  const $ = (id) => document.getElementById(id);
  const rows = [...document.querySelectorAll("#table tbody tr")];
  const body = document.querySelector("#table tbody");
  const sections = rows.map((r) => $("s" + r.dataset.n));
  const home = $("samples");
  const end = document.createComment("");
  if (sections.length) sections[sections.length - 1].after(end);
  const order = new Map(rows.map((r, i) => [r, i]));
  const section = new Map(rows.map((r, i) => [r, sections[i]]));

  // To a browser with scripts, what a noscript has is text, which is read in no time
  // however many samples there are. It becomes elements when its section is opened; of
  // a few samples at once, for the browser's own search to find.
  const few = 100;
  const fill = (s) => {
    const n = s.querySelector(":scope > noscript");
    if (!n) return;
    const t = document.createElement("template");
    t.innerHTML = n.textContent;
    n.replaceWith(t.content);
  };
  for (const s of sections) {
    if (sections.length <= few) fill(s);
    else s.addEventListener("toggle", () => { if (s.open) fill(s); });
  }
  const entities = { "&lt;": "<", "&gt;": ">", "&amp;": "&", "&#34;": '"', "&#39;": "'", "&#43;": "+" };
  const textOf = (s) => {
    const n = s.querySelector(":scope > noscript");
    if (!n) return s.textContent;
    return s.firstElementChild.textContent + " " + n.textContent.replace(/<[^>]*>/g, "").replace(/&(lt|gt|amp|#34|#39|#43);/g, (e) => entities[e]);
  };

  // A table of a thousand rows takes a second to lay out, and nobody reads it to its
  // end: the first hundred are shown, in the order and of those that were chosen. The
  // page comes with the others hidden, where there are scripts.
  const first = 100;
  const more = document.createElement("button");
  more.type = "button";
  more.className = "more";
  let every = rows.length <= first;
  const cut = () => {
    let n = 0;
    for (const row of body.rows) row.classList.toggle("later", !row.hidden && ++n > first && !every);
    more.hidden = every || n <= first;
    more.textContent = "Show all " + n + " rows";
  };
  more.addEventListener("click", () => { every = true; cut(); });
  body.closest(".scroll").after(more);
  cut();

  // Sorting: the first press has the worst first, the next turns it round.
  const value = (row, column, key) => {
    const cell = row.cells[column];
    if (key === "score") return cell.dataset.v === undefined ? null : +cell.dataset.v;
    return cell.textContent.trim();
  };
  const words = new Intl.Collator("en", { numeric: true });
  for (const button of document.querySelectorAll("#table thead button")) {
    button.addEventListener("click", () => {
      const head = button.closest("th");
      const key = button.dataset.key;
      const worst = button.hasAttribute("data-lower") ? "descending" : "ascending";
      const other = worst === "ascending" ? "descending" : "ascending";
      const to = head.getAttribute("aria-sort") === worst ? other : worst;
      for (const th of head.parentNode.cells) th.removeAttribute("aria-sort");
      head.setAttribute("aria-sort", to);
      const sign = to === "ascending" ? 1 : -1;
      const of = new Map(rows.map((r) => [r, value(r, head.cellIndex, key)]));
      const sorted = [...rows].sort((a, b) => {
        const x = of.get(a), y = of.get(b);
        if (x === null || y === null) return (x === null) - (y === null) || order.get(a) - order.get(b);
        return sign * (key === "score" ? x - y : words.compare(x, y)) || order.get(a) - order.get(b);
      });
      body.append(...sorted);
      for (const row of sorted) home.insertBefore(section.get(row), end);
      cut();
    });
  }

  // Filters. What a sample says is read when it is first looked for.
  const text = $("f-text"), tag = $("f-tag"), fault = $("f-fault"), only = $("f-only");
  let said = null;
  const points = [...document.querySelectorAll(".pt")];
  const filter = () => {
    const want = text.value.trim().toLowerCase();
    if (want && !said) said = new Map(rows.map((r) => [r, (r.textContent + " " + textOf(section.get(r))).toLowerCase()]));
    let shown = 0;
    const gone = new Set();
    for (const row of rows) {
      const ok = (!want || said.get(row).includes(want)) &&
        (!tag || tag.value === "" || row.dataset.t.includes(" " + tag.value + " ")) &&
        (!fault || fault.value === "" || row.dataset.f === fault.value) &&
        (only.value === "" || row.querySelector(only.value === "lo" ? "td.lo" : "td.unmeasured") !== null);
      row.hidden = section.get(row).hidden = !ok;
      if (ok) shown++; else gone.add("#s" + row.dataset.n);
    }
    for (const p of points) p.classList.toggle("dim", gone.has(p.getAttribute("href")));
    $("f-count").textContent = shown + " of " + rows.length;
    $("none").hidden = shown > 0;
    cut();
  };
  let later = 0;
  text.addEventListener("input", () => { clearTimeout(later); later = setTimeout(filter, 120); });
  for (const s of [tag, fault, only]) if (s) s.addEventListener("change", filter);
  const form = document.querySelector(".filter");
  form.addEventListener("submit", (e) => { e.preventDefault(); filter(); });
  form.addEventListener("reset", () => setTimeout(filter));
  document.addEventListener("click", (e) => {
    const b = e.target.closest("button[data-tag], button[data-fault]");
    if (!b) return;
    const to = b.dataset.tag !== undefined ? tag : fault;
    to.value = b.dataset.tag !== undefined ? b.dataset.tag : b.dataset.fault;
    filter();
    $("scores").scrollIntoView();
    to.focus({ preventScroll: true });
  });

  // A link to what is in a closed section, or filtered away, shows it.
  const reveal = () => {
    const [id, sample] = location.hash.slice(1).match(/^(s\d+)c\d+$/) || [location.hash.slice(1)];
    if (sample && $(sample)) fill($(sample));
    const at = $(id);
    if (!at) return;
    if (at.matches(".sample")) fill(at);
    for (let d = at.closest("details"); d; d = d.parentElement.closest("details")) { d.open = true; d.hidden = false; }
    at.scrollIntoView({ block: at.matches("details, section") ? "start" : "center" });
    const to = at.matches("details") ? at.querySelector("summary") : at;
    if (at.matches("details, [tabindex]")) to.focus({ preventScroll: true });
  };
  addEventListener("hashchange", reveal);
  document.addEventListener("click", (e) => {
    const a = e.target.closest('a[href^="#"]');
    if (a && a.getAttribute("href") === location.hash) reveal();
  });
  if (location.hash) reveal();

  const all = (open) => { for (const s of sections) if (!open || !s.hidden) s.open = open; };
  $("open-all").addEventListener("click", () => all(true));
  $("close-all").addEventListener("click", () => all(false));

  // The points of a plot are one stop of the tab key; arrow keys move among them.
  for (const plot of document.querySelectorAll(".plot")) {
    const stops = [...plot.querySelectorAll(".pt")];
    stops.forEach((p, i) => p.setAttribute("tabindex", i ? "-1" : "0"));
    plot.addEventListener("keydown", (e) => {
      const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1, Home: -Infinity, End: Infinity }[e.key];
      const i = stops.indexOf(document.activeElement);
      if (!step || i < 0) return;
      e.preventDefault();
      const to = stops[Math.min(Math.max(i + step, 0), stops.length - 1)];
      for (const p of stops) p.setAttribute("tabindex", p === to ? "0" : "-1");
      to.focus();
    });
  }
})();
