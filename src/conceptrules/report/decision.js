// The page of a network that decides: rules that sort and filter, a drawing that shows what depends on what, and the
// decision on the row, with its counterfactual.
"use strict";

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

// ---------------------------------------------------------------- the decision

let searching = 0;

function showAnswer() {
  const decision = decide(namedRow(row));
  showDerived();
  const name = model.classes[decision.class];
  one("#decision-class").textContent = name;
  one("#decision-echo").textContent = name;
  one("#decision-why").textContent = whyText(decision);
  one("#decision-odds").textContent = oddsText(decision);
  one("#decision-rules").replaceChildren(...firedRules(decision));
  lightPath(decision, withDerived(row));
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
  if (model.derived.length) {
    place.dataset.state = "done";
    place.replaceChildren(element("p", { class: "quiet" }, "Relations and words tie columns to one another: network.explain(row) finds what to change."));
    return;
  }
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

startRules();
startDrawing();
startForm();
startPrinting();
choose(null);
