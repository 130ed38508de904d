// The page at work: rules that sort and filter, a drawing that shows what depends on what, a row to try.
"use strict";

const model = JSON.parse(document.getElementById("model").textContent);
const all = (selector, within = document) => [...within.querySelectorAll(selector)];
const one = (selector, within = document) => within.querySelector(selector);

function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children); // text is appended as text: no name is ever read as HTML
  return made;
}

const counted = (count, noun) => `${count.toLocaleString("en")} ${noun}${count === 1 ? "" : "s"}`;
const listed = (words) =>
  words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} and ${words[words.length - 1]}`;

// ---------------------------------------------------------------- the rules

const ORDERS = {
  rows: (rule) => -Number(rule.dataset.rows),
  right: (rule) => -Number(rule.dataset.right),
  length: (rule) => Number(rule.dataset.length),
  number: (rule) => Number(rule.dataset.order),
};
const FOLD = 12; // rules of a class that are shown at first

function arrangeRules() {
  const column = one("#rules-column").value;
  const order = ORDERS[one("#rules-order").value];
  let shown = 0;
  for (const group of all(".rule-group")) {
    const list = one(".rule-list", group);
    const rules = all(":scope > .rule", list).sort((a, b) => order(a) - order(b) || a.dataset.order - b.dataset.order);
    list.append(...rules);
    const matching = rules.filter((rule) => !column || rule.dataset.columns.split(" ").includes(column));
    const open = group.dataset.open === "yes" || matching.length <= FOLD + 3;
    rules.forEach((rule) => (rule.hidden = true));
    matching.forEach((rule, place) => (rule.hidden = !open && place >= FOLD));
    const more = one(".more", group);
    more.hidden = open;
    more.textContent = `Show all ${matching.length} rules`;
    one(".nothing", group).hidden = matching.length > 0 || rules.length === 0;
    shown += matching.length;
  }
  one("#rules-count").textContent = column ? `${counted(shown, "rule")} with this column` : "";
}

function startRules() {
  if (!one("#rules-column")) return;
  one("#rules-column").addEventListener("change", arrangeRules);
  one("#rules-order").addEventListener("change", arrangeRules);
  for (const more of all(".rule-group .more")) {
    more.addEventListener("click", () => {
      more.closest(".rule-group").dataset.open = "yes";
      arrangeRules();
      one(`.rule:nth-child(${FOLD + 1}) summary`, more.closest(".rule-group"))?.focus();
    });
  }
  for (const rule of all(".rule[data-node]")) {
    rule.addEventListener("mouseenter", () => highlight(rule.dataset.node));
    rule.addEventListener("mouseleave", () => highlight(chosen));
  }
  for (const link of all("a.condition")) link.addEventListener("click", () => one("#concepts").setAttribute("open", ""));
  for (const button of all("button[data-show]")) {
    button.addEventListener("click", () => {
      choose(button.dataset.show);
      one("#network").scrollIntoView();
      nodeOf(placeOf(button.dataset.show))?.focus({ preventScroll: true });
    });
  }
  arrangeRules();
}

// ---------------------------------------------------------------- the drawing

const drawing = one("#drawing svg");
const nodes = drawing ? all("[data-node]", drawing) : [];
const nodeOf = (id) => nodes.find((node) => node.dataset.node === id);
const edges = drawing ? all("[data-from]", drawing) : [];
const words = (text) => (text || "").split(/\s+/).filter(Boolean);
let chosen = null;

// A node that is folded away is shown where it went.
const places = new Map(nodes.flatMap((node) => words(node.dataset.members).map((name) => [name, node.dataset.node])));
const placeOf = (id) => places.get(id) ?? id;

// All nodes that can be reached from this one over data-depends or data-feeds.
function reach(id, direction) {
  const found = new Set();
  const waiting = [id];
  while (waiting.length) {
    for (const next of words(nodeOf(waiting.pop())?.dataset[direction])) {
      if (!found.has(next)) {
        found.add(next);
        waiting.push(next);
      }
    }
  }
  return found;
}

function highlight(node) {
  if (!drawing) return;
  const id = placeOf(node);
  const active = id !== null && Boolean(nodeOf(id));
  drawing.classList.toggle("has-highlight", active);
  const below = active ? reach(id, "depends") : new Set();
  const above = active ? reach(id, "feeds") : new Set();
  for (const node of nodes) {
    const name = node.dataset.node;
    node.classList.toggle("is-chosen", active && name === id);
    node.classList.toggle("is-below", below.has(name));
    node.classList.toggle("is-above", above.has(name));
  }
  const down = new Set([...below, id]);
  const up = new Set([...above, id]);
  for (const edge of edges) {
    const { from, to } = edge.dataset;
    const inside = (some) => some.has(from) && (to === undefined || some.has(to)); // a wire has one end only
    edge.classList.toggle("is-path", active && (inside(down) || inside(up)));
  }
}

function choose(id) {
  chosen = id;
  highlight(id);
  const panel = one("#node-panel");
  const folded = { name: "Folded together", text: nodeOf(id)?.getAttribute("aria-label") };
  const told = id === null ? null : model.nodes[id] || folded;
  if (!told) {
    panel.replaceChildren(element("p", { class: "quiet" }, panel.dataset.empty));
    return;
  }
  const said = [element("h3", {}, told.name), element("p", {}, told.text)];
  if (told.figures) said.push(element("p", { class: "quiet" }, told.figures));
  panel.replaceChildren(...said);
  if (told.rule) {
    const link = element("a", { href: `#${told.rule}` }, "Read it among the rules");
    link.addEventListener("click", () => openRule(told.rule));
    panel.append(element("p", {}, link));
  }
}

// A rule that a link leads to is unfolded and open.
function openRule(id) {
  const rule = document.getElementById(id);
  if (!rule) return;
  if (one("#rules-column").value) one("#rules-column").value = "";
  rule.closest(".rule-group").dataset.open = "yes";
  rule.closest("#concepts")?.setAttribute("open", "");
  arrangeRules();
  rule.open = true;
}

function startDrawing() {
  nodes.forEach((node, number) => {
    node.setAttribute("tabindex", number ? "-1" : "0");
    node.setAttribute("role", "button");
    const told = model.nodes[node.dataset.node];
    if (told) node.setAttribute("aria-label", `${told.name}: ${told.text}`);
    node.addEventListener("mouseenter", () => highlight(node.dataset.node));
    node.addEventListener("mouseleave", () => highlight(chosen));
    node.addEventListener("focus", () => highlight(node.dataset.node));
    node.addEventListener("click", () => {
      focusNode(node);
      choose(node.dataset.node);
    });
    node.addEventListener("keydown", (event) => steer(event, node));
  });
  if (drawing) drawing.addEventListener("focusout", () => highlight(chosen));
}

function focusNode(node) {
  nodes.forEach((other) => other.setAttribute("tabindex", other === node ? "0" : "-1"));
  node.focus({ preventScroll: false });
}

// Arrow keys go to the nearest node on that side; Enter and Space tell about the node.
function steer(event, node) {
  if (event.key === "Enter" || event.key === " ") choose(node.dataset.node);
  else if (event.key === "Escape") choose(null);
  else if (event.key === "Home") focusNode(nodes[0]);
  else if (event.key === "End") focusNode(nodes[nodes.length - 1]);
  else if (event.key.startsWith("Arrow")) {
    const next = neighbour(node, event.key.slice(5));
    if (next) focusNode(next);
  } else return;
  event.preventDefault();
}

function neighbour(node, side) {
  const place = middle(node);
  const along = { Left: [-1, 0], Right: [1, 0], Up: [0, -1], Down: [0, 1] }[side];
  let best = null;
  let least = Infinity;
  for (const other of nodes) {
    const [x, y] = [middle(other)[0] - place[0], middle(other)[1] - place[1]];
    const ahead = x * along[0] + y * along[1];
    const aside = Math.abs(x * along[1]) + Math.abs(y * along[0]);
    if (other !== node && ahead > 1 && ahead + 3 * aside < least) [best, least] = [other, ahead + 3 * aside];
  }
  return best;
}

function middle(node) {
  const box = node.getBoundingClientRect();
  return [box.x + box.width / 2, box.y + box.height / 2];
}

// The decision's code counts rules and concepts from 1, the drawing from 0.
const drawn = (name) => name.replace(/\d+$/, (number) => String(number - 1));

// A copy of the drawing beside the form, only to be looked at: the path of the row is told in words as well.
const path = drawing ? drawing.cloneNode(true) : null;
if (path) {
  for (const node of [path, ...all("*", path)]) ["role", "aria-label"].forEach((name) => node.removeAttribute(name));
  path.setAttribute("aria-hidden", "true");
  one("#path").append(path);
}
const litNodes = [...nodes, ...(path ? all("[data-node]", path) : [])];
const litEdges = [...edges, ...(path ? all("[data-from]", path) : [])];

function lightPath(decision, row) {
  const lit = new Set([...decision.rules.map(drawn), ...decision.concepts.map((name) => `c${drawn(name)}`)]);
  decision.fires.forEach((fires, index) => fires && lit.add(`class${index}`));
  model.predicates.forEach((predicate, index) => holds(predicate, row[predicate.column]) && lit.add(`p${index}`));
  for (const node of litNodes) {
    const on = [node.dataset.node, ...words(node.dataset.members)].some((name) => lit.has(name));
    node.classList.toggle("is-lit", on);
    if (on && node.dataset.members) lit.add(node.dataset.node);
  }
  for (const edge of litEdges) {
    const below = lit.has(edge.dataset.from) !== edge.classList.contains("negated");
    edge.classList.toggle("is-lit", below && (edge.dataset.to === undefined || lit.has(edge.dataset.to)));
  }
}

// ---------------------------------------------------------------- try a row

const STEPS = 24; // of a slider, from one cut to the next: all parts of a column are equally wide
const MILLISECOND = 1000;
const SECOND = 1e6;
const row = model.columns.map((column) => (column.ordered ? column.ends[0] : column.options.length ? 0 : OTHER));
const fixed = new Set();
let searching = 0;

const stopsOf = (column) => [column.ends[0], ...column.cuts, column.ends[1]];

function valueAt(column, position) {
  const stops = stopsOf(column);
  const part = Math.floor(position / STEPS);
  const share = (position % STEPS) / STEPS;
  if (!share) return stops[part];
  const [low, high] = [stops[part], stops[part + 1]];
  return roundedBetween(column, low, high, share, (high - low) / STEPS / 2);
}

function positionOf(column, value) {
  const stops = stopsOf(column);
  const last = (stops.length - 1) * STEPS;
  if (value <= stops[0]) return 0;
  if (value >= stops[stops.length - 1]) return last;
  const part = stops.findIndex((stop) => value <= stop) - 1;
  const share = (value - stops[part]) / (stops[part + 1] - stops[part]);
  if (share === 1) return (part + 1) * STEPS;
  return part * STEPS + Math.min(Math.max(Math.round(share * STEPS), 1), STEPS - 1);
}

function valueText(column, value) {
  if (value === null) return "missing";
  if (!column.ordered) return value === OTHER ? "any other" : column.options[value].text;
  if (!Number.isFinite(value)) return value > 0 ? "infinity" : "minus infinity";
  if (column.kind === "duration") return durationText(value);
  if (column.kind === "number") return String(value + 0);
  const moment = new Date(value / MILLISECOND);
  if (Number.isNaN(moment.getTime())) return "a day out of range";
  const text = moment.toISOString().replace("T", " ").replace(/(:00)?\.000Z$/, "").replace(/Z$/, "");
  return column.kind === "date" ? text.replace(/ 00:00$/, "") : text;
}

function durationText(value) {
  const seconds = Math.abs(value) / SECOND;
  const days = Math.floor(seconds / 86400);
  const two = (part) => String(Math.floor(part)).padStart(2, "0");
  const clock = `${Math.floor((seconds % 86400) / 3600)}:${two((seconds % 3600) / 60)}:${two(seconds % 60)}`;
  return `${value < 0 ? "minus " : ""}${days ? `${counted(days, "day")} ` : ""}${clock}`;
}

// The part of an ordered column that a value lies in, in words.
function partText(column, value) {
  if (!column.ordered || !column.cuts.length || value === null) return "";
  const part = column.cuts.findIndex((cut) => value <= cut);
  if (part === 0) return `up to ${column.cutTexts[0]}`;
  if (part < 0) return `over ${column.cutTexts[column.cuts.length - 1]}`;
  return `over ${column.cutTexts[part - 1]}, up to ${column.cutTexts[part]}`;
}

function boxText(column, value) {
  if (value === null || !Number.isFinite(value)) return "";
  if (column.kind === "number") return String(value + 0);
  if (column.kind === "duration") return String(value / SECOND);
  const moment = new Date(value / MILLISECOND);
  if (Number.isNaN(moment.getTime()) || moment.getUTCFullYear() < 1 || moment.getUTCFullYear() > 9999) return "";
  return column.kind === "date" ? moment.toISOString().slice(0, 10) : moment.toISOString().slice(0, 23);
}

// undefined where the box holds nothing that can be read.
function boxValue(column, box) {
  const number = box.valueAsNumber;
  if (Number.isNaN(number)) return undefined;
  return { number: 1, duration: SECOND, date: MILLISECOND, datetime: MILLISECOND }[column.kind] * number;
}

// A row as the decision's code reads it: values by name.
function namedRow(values) {
  const named = Object.create(null); // a column may be called __proto__
  model.columns.forEach((column, number) => (named[column.name] = rawValue(column, values[number])));
  return named;
}

function rawValue(column, value) {
  if (value === null || column.ordered) return value;
  if (value === OTHER) return column.other;
  const raw = column.options[value].value;
  if (typeof raw !== "object") return raw;
  return raw.whole === undefined ? (raw.infinity ? Infinity : -Infinity) : BigInt(raw.whole);
}

function showField(number) {
  const field = one(`.field[data-column="${number}"]`);
  const [column, value] = [model.columns[number], row[number]];
  const select = one("select", field);
  if (select) {
    select.value = value === null ? "missing" : String(value);
    return;
  }
  one(".missing", field).checked = value === null;
  field.classList.toggle("is-missing", value === null);
  const box = one(".box", field);
  const slider = one(".slider", field);
  if (document.activeElement !== box) box.value = boxText(column, value);
  if (value !== null) slider.value = String(positionOf(column, value));
  const part = partText(column, value);
  slider.setAttribute("aria-valuetext", `${valueText(column, value)}${part ? `; ${part}` : ""}`);
  one(".part", field).textContent = value === null ? "missing" : part || valueText(column, value);
}

function setValue(number, value) {
  row[number] = value;
  showField(number);
  showDecision();
}

function setRow(values) {
  values.forEach((value, number) => {
    row[number] = typeof value === "string" ? Number(value) : value; // JSON has no infinity: it comes as text
    showField(number);
  });
  showDecision();
}

function startField(field) {
  const number = Number(field.dataset.column);
  const column = model.columns[number];
  const select = one("select", field);
  one(".keep", field)?.addEventListener("change", (event) => {
    if (event.target.checked) fixed.add(number);
    else fixed.delete(number);
    showDecision();
  });
  if (select) {
    select.addEventListener("change", () => setValue(number, select.value === "missing" ? null : Number(select.value)));
    return;
  }
  const [slider, box, missing] = [one(".slider", field), one(".box", field), one(".missing", field)];
  slider.max = String((column.cuts.length + 1) * STEPS);
  slider.addEventListener("input", () => setValue(number, valueAt(column, Number(slider.value))));
  box.addEventListener("input", () => {
    const value = boxValue(column, box);
    box.classList.toggle("is-unread", value === undefined);
    if (value !== undefined) setValue(number, value);
  });
  box.addEventListener("blur", () => {
    box.classList.remove("is-unread");
    showField(number);
  });
  missing.addEventListener("change", () =>
    setValue(number, missing.checked ? null : valueAt(column, Number(slider.value))),
  );
}

function showDecision() {
  const decision = decide(namedRow(row));
  const name = model.classes[decision.class];
  one("#decision-class").textContent = name;
  one("#decision-echo").textContent = name;
  one("#decision-why").textContent = whyText(decision);
  one("#decision-odds").textContent = oddsText(decision);
  one("#decision-rules").replaceChildren(...firedRules(decision));
  lightPath(decision, row);
  showCounterfactual(decision);
  return decision;
}

function whyText(decision) {
  const fired = model.priority.filter((index) => decision.fires[index]).map((index) => model.classes[index]);
  if (!fired.length) return "No class fires, so this is the answer for everything else.";
  if (fired.length === 1) return "Only this class fires.";
  return `${listed(fired)} fire; the first of them wins.`;
}

function oddsText(decision) {
  const pattern = decision.fires.map(Number).join("");
  if (model.patterns === null) return "The model file holds no training rows to compare with.";
  const rows = model.patterns[pattern];
  if (!rows) return `No training row had just this outcome; the probability stated is ${percent(model.probabilities.unseen[decision.class])}.`;
  const stated = `the probability stated is ${percent(model.probabilities.seen[pattern])}.`;
  if (!rows.length) return stated[0].toUpperCase() + stated.slice(1);
  const total = rows.reduce((sum, count) => sum + count, 0);
  return `Of ${counted(Math.round(total * 100) / 100, "training row")} with this outcome, ${percent(rows[decision.class] / total)} were ${model.classes[decision.class]}; ${stated}`;
}

function percent(share) {
  if (share === 0 || share === 1) return `${share * 100}%`;
  return share > 0.99 ? "over 99%" : share < 0.01 ? "under 1%" : `${Math.round(share * 100)}%`;
}

const MOST = 8; // rules that are listed under a decision

// The rules that fired and lead to the classes that fired.
function firedRules(decision) {
  const last = `${model.levels.length}.`;
  const top = decision.rules.filter((name) => name.startsWith(last)).map(drawn);
  const items = top.slice(0, MOST).map((id) => {
    const told = model.nodes[id];
    const link = element("a", { href: `#${told.rule}` }, told.text);
    link.addEventListener("click", () => openRule(told.rule));
    return element("li", {}, element("span", { class: "tag" }, told.speaks), " ", link);
  });
  if (!top.length) items.push(element("li", { class: "quiet" }, "none"));
  if (top.length > MOST) items.push(element("li", { class: "quiet" }, `and ${top.length - MOST} more`));
  return items;
}

// The search goes on in small steps behind the page; a newer one ends it. What was found for another row goes at once.
function showCounterfactual(decision) {
  const place = one("#counterfactual");
  const mine = ++searching;
  const search = findCounterfactual(model, [...row], decision.class, fixed);
  const step = () => {
    if (mine !== searching) return;
    const until = performance.now() + 12;
    let next = search.next();
    while (!next.done && performance.now() < until) next = search.next();
    if (next.done) place.replaceChildren(...counterfactualText(next.value, decision));
    else {
      if (!one(".searching", place)) place.replaceChildren(element("p", { class: "quiet searching" }, "Searching …"));
      setTimeout(step);
    }
  };
  place.dataset.state = "searching";
  setTimeout(step);
}

function counterfactualText(found, decision) {
  one("#counterfactual").dataset.state = "done";
  one("#counterfactual").dataset.size = found.changes ? String(found.changes.length) : found.proved ? "none" : "unknown";
  const kept = fixed.size ? " in the columns that may change" : "";
  if (!found.changes && found.proved) return [element("p", {}, `There is none: no change${kept} gives another answer. That is proved.`)];
  if (!found.changes) {
    return [element("p", {}, `It changes ${counted(found.atLeast, "column")} or more: the search was ended there.`)];
  }
  const changed = [...row];
  for (const [column, value] of found.changes) changed[column] = value;
  const after = model.classes[decide(namedRow(changed)).class];
  const items = found.changes.map(([number, value]) => {
    const column = model.columns[number];
    const [old, now] = [valueText(column, row[number]), valueText(column, value)];
    const part = partText(column, value);
    const target = part ? `${part} (such as ${now})` : now;
    return element("li", {}, element("bdi", { class: "name" }, column.shown), `: ${old} → ${target}`);
  });
  const make = element("button", { type: "button", class: "plain" }, "Make this change");
  make.addEventListener("click", () => setRow(changed));
  return [
    element("p", {}, `To get `, element("strong", {}, after), `, change ${counted(found.changes.length, "column")}:`),
    element("ul", {}, ...items),
    element("p", { class: "quiet" }, `That is proved: no fewer changes${kept} are enough.`),
    make,
  ];
}

function findFields() {
  const wanted = one("#field-search").value.trim().toLocaleLowerCase();
  let shown = 0;
  for (const field of all(".field")) {
    const fits = model.columns[field.dataset.column].shown.toLocaleLowerCase().includes(wanted);
    const folded = !wanted && field.dataset.folded === "yes";
    field.hidden = !fits || folded;
    shown += !field.hidden;
  }
  one("#field-count").textContent = wanted ? counted(shown, "column") : "";
}

function startForm() {
  if (!one("#try-form")) return;
  all(".field").forEach(startField);
  one("#try-form").addEventListener("submit", (event) => event.preventDefault());
  one("#field-search")?.addEventListener("input", findFields);
  one("#all-fields")?.addEventListener("click", (event) => {
    all(".field").forEach((field) => delete field.dataset.folded);
    event.target.hidden = true;
    findFields();
  });
  const samples = one("#samples");
  samples?.addEventListener("change", () => {
    const sample = model.samples[samples.value];
    if (sample) {
      setRow(sample.values);
      one("#sample-note").textContent = sample.note;
    }
  });
  if (one("#field-search")) findFields();
  if (model.samples.length) {
    one("#sample-note").textContent = model.samples[0].note;
    setRow(model.samples[0].values);
  } else setRow([...row]);
}

// ---------------------------------------------------------------- all of it

// Print everything, folded or not.
function startPrinting() {
  let opened = [];
  window.addEventListener("beforeprint", () => {
    opened = all("details:not([open]):not(.form-only)");
    opened.forEach((one) => (one.open = true));
  });
  window.addEventListener("afterprint", () => opened.forEach((one) => (one.open = false)));
}

startRules();
startDrawing();
startForm();
startPrinting();
choose(null);
