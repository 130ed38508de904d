// The page of a scorecard: the points of a row that add up, what one column can do to them, and what cut-offs cost.
"use strict";

const SVG = "http://www.w3.org/2000/svg";
const MOST_CHANGES = 6; // columns that are listed

function shape(tag, attributes, ...children) {
  const made = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

const numberText = (value) => value.toLocaleString("en", model.digits);
const chanceText = (share) =>
  share > 0 && share < 0.001 ? "<0.1%" : share > 0.999 && share < 1 ? ">99.9%" : `${(100 * share).toFixed(1)}%`;
const isNumber = !model.classes.length;
const answerText = (decision) => (isNumber ? numberText(decision.label) : model.classes[decision.class]);

// ---------------------------------------------------------------- the row

function showAnswer() {
  const decision = decide(namedRow(row));
  showDerived();
  one("#decision-class").textContent = answerText(decision);
  one("#decision-echo").textContent = echoText(decision);
  one("#decision-why").textContent = whyText(decision);
  one("#decision-odds").textContent = oddsText(decision);
  one("#score-scale").replaceChildren(...(isNumber || model.outputs.length > 1 ? chanceBars(decision) : [scale(decision)]));
  one("#score-lines").replaceChildren(...scoreLines(decision));
  one("#single-changes").replaceChildren(...singleChanges(decision));
  for (const line of all("[data-rule]")) line.classList.toggle("is-lit", decision.rules.includes(line.dataset.rule));
  return decision;
}

function echoText(decision) {
  if (isNumber) return answerText(decision);
  const chance = chanceText(decision.probabilities[model.outputs.length > 1 ? decision.class : 1]);
  return `${answerText(decision)}; ${model.outputs.length > 1 ? "" : `score ${decision.scores[0]}, ${model.name} `}${chance}`;
}

function whyText(decision) {
  if (isNumber) return `${counted(decision.rules.filter((name) => model.lines[name]).length, "line")} of ${Object.keys(model.lines).length} hold and ${model.multiplies ? "multiply" : "add up"} to it.`;
  if (model.cutoff === null) return `Its points are the most${model.offsets.some(Boolean) ? " after the offsets" : ""}.`;
  const [score] = decision.scores;
  return `The score of ${score} is ${score >= model.cutoff ? "at least" : "below"} ${model.cutoff}.`;
}

function oddsText(decision) {
  if (isNumber) return intervalText(decision.label);
  if (model.cutoff === null) return `Its chance is ${chanceText(decision.probabilities[decision.class])}.`;
  return `The chance of ${model.name} is ${chanceText(decision.probabilities[1])}.`;
}

// The interval that held nine tenths of the held-out numbers; of rates, errors grow with the root of the prediction.
function intervalText(predicted) {
  if (!model.errors) return "";
  const ends = model.errors.map((end) => (model.multiplies ? Math.max(Math.sqrt(predicted) * end, -predicted) : end));
  return `90% of such numbers are between ${numberText(predicted + ends[0])} and ${numberText(predicted + ends[1])}, by the errors on held-out rows.`;
}

// Where the score is between the least and the largest that the points allow, and where the cut-off is.
function scale(decision) {
  const [[low, high]] = model.bounds;
  const at = (score) => (200 * (score - low)) / (high - low || 1);
  const cut = Math.min(Math.max(at(model.cutoff), 0), 200);
  return shape("svg", { class: "scale", viewBox: "-8 0 216 34", "aria-hidden": "true" },
    shape("rect", { class: "track", x: 0, y: 8, width: 200, height: 6, rx: 3 }),
    shape("path", { class: "cut", d: `M${cut} 3V19` }),
    shape("circle", { class: "mark", cx: at(decision.scores[0]), cy: 11, r: 6 }),
    shape("text", { x: 0, y: 31 }, String(low)),
    shape("text", { x: 200, y: 31, "text-anchor": "end" }, String(high)),
    ...(cut > 40 && cut < 160 ? [shape("text", { x: cut, y: 31, "text-anchor": "middle" }, `cut-off ${model.cutoff}`)] : []));
}

// The classes with the largest chances; nothing for a number.
function chanceBars(decision) {
  if (isNumber) return [];
  const ranked = model.classes.map((name, kind) => [name, kind]).sort((a, b) => decision.probabilities[b[1]] - decision.probabilities[a[1]]);
  return ranked.slice(0, MOST_CHANGES).map(([name, kind]) => {
    const share = decision.probabilities[kind];
    const bar = shape("svg", { class: "bar", viewBox: "0 0 100 8", preserveAspectRatio: "none", "aria-hidden": "true" },
      shape("rect", { class: "track", width: 100, height: 8 }), shape("rect", { class: "fill", width: 100 * share, height: 8 }));
    return element("div", { class: "chance" }, element("bdi", {}, name), bar, element("span", {}, chanceText(share)), element("span", { class: "quiet" }, `${decision.scores[kind]} points${model.offsets[kind] ? `, offset ${model.offsets[kind]}` : ""}`));
  });
}

// The base and the lines that hold, those with most points first; each bar begins where the one above it ends.
function scoreLines(decision) {
  const output = model.outputs.length === 1 ? 0 : Number(one("#shown-output").value || decision.class);
  const holding = decision.rules.map((name) => model.lines[name]).filter((line) => line && line.points[output]);
  holding.sort((a, b) => Math.abs(b.points[output]) - Math.abs(a.points[output]));
  const lines = [{ text: "base", ...model.base }, ...holding];
  const sums = [0];
  for (const line of lines) sums.push(sums[sums.length - 1] + line.points[output]);
  const [low, high] = [Math.min(...sums), Math.max(...sums)];
  const at = (value) => (100 * (value - low)) / (high - low || 1);
  const items = lines.map((line, number) => {
    const [from, to] = [at(sums[number]), at(sums[number + 1])].sort((a, b) => a - b);
    const bar = shape("svg", { class: "step", viewBox: "0 0 100 6", preserveAspectRatio: "none", "aria-hidden": "true" },
      shape("rect", { class: "track", width: 100, height: 6 }),
      shape("rect", { class: line.points[output] < 0 ? "less" : "more", x: from, width: Math.max(to - from, 0.6), height: 6 }));
    return element("li", {}, element("span", { class: "words" }, line.text), element("b", {}, line.shown[output] || "0"), bar);
  });
  const sum = isNumber ? numberText(decision.label) : String(sums[sums.length - 1]);
  return [...items, element("li", { class: "sum" }, element("span", { class: "words" }, isNumber ? model.name : "score"), element("b", {}, sum))];
}

// What another value in one column would do: each part of the column is tried, so nothing is left out.
function singleChanges(decision) {
  const outcomes = model.columns.map((column, number) => {
    const tests = model.predicates.filter((predicate) => predicate.column === number);
    const cells = column.kind === "text" ? [] : cellsOf(column, tests);
    return cells.map((value) => ({ number, value, decision: decide(namedRow(row.map((old, place) => (place === number ? value : old)))) }));
  });
  const items = isNumber ? listRanges(outcomes, decision) : listFlips(outcomes, decision);
  if (items.length > MOST_CHANGES) return [...items.slice(0, MOST_CHANGES), element("li", { class: "quiet" }, `and ${items.length - MOST_CHANGES} more columns`)];
  return items.length ? items : [element("li", { class: "quiet" }, isNumber ? "none" : model.derived.length ? "There is none among the values that were tried." : "There is none: all values of each column were tried.")];
}

const placeText = (column, value) => partText(column, value) || valueText(column, value);

function changeItem(number, value, outcome) {
  const column = model.columns[number];
  const make = element("button", { type: "button", class: "link" }, placeText(column, value));
  make.addEventListener("click", () => setValue(number, value));
  return element("li", {}, element("bdi", { class: "name" }, column.shown), " ", make, `: ${outcome}`);
}

// Of each column the change after which another class has the largest chance.
function listFlips(outcomes, decision) {
  const flips = outcomes.map((cells) => cells.filter((cell) => cell.decision.class !== decision.class)).filter((cells) => cells.length);
  const chance = (cell) => cell.decision.probabilities[cell.decision.class];
  return flips
    .map((cells) => cells.reduce((best, cell) => (chance(cell) > chance(best) ? cell : best)))
    .map((cell) => changeItem(cell.number, cell.value, echoText(cell.decision)));
}

// Of each column the smallest and the largest prediction, those that differ most first.
function listRanges(outcomes) {
  const label = (cell) => cell.decision.label;
  const ends = outcomes.filter((cells) => cells.length > 1).map((cells) => {
    const sorted = [...cells].sort((a, b) => label(a) - label(b));
    return [sorted[0], sorted[sorted.length - 1]];
  });
  const spread = ([least, most]) => label(most) - label(least);
  return ends
    .filter((pair) => spread(pair) > 0)
    .sort((a, b) => spread(b) - spread(a))
    .map(([least, most]) => {
      const item = changeItem(least.number, least.value, numberText(label(least)));
      const other = element("button", { type: "button", class: "link" }, placeText(model.columns[most.number], most.value));
      other.addEventListener("click", () => setValue(most.number, most.value));
      item.append("; ", other, `: ${numberText(label(most))}`);
      return item;
    });
}

// ---------------------------------------------------------------- the cut-offs

function showCosts() {
  const [alarm, miss] = ["#cost-alarm", "#cost-miss"].map((id) => Math.max(0, one(id).valueAsNumber || 0));
  const costs = model.cutoffs.map(([answered, hits, rows, positives]) => (alarm * (answered - hits) + miss * (positives - hits)) / rows);
  const least = Math.min(...costs);
  all("#cutoffs tbody tr").forEach((line, number) => {
    one(".cost", line).textContent = costs[number].toPrecision(3);
    line.classList.toggle("is-cheapest", costs[number] === least);
  });
  const [, , rows, positives] = model.cutoffs[0];
  one("#cheapest").textContent = `Cheapest: ${least.toPrecision(3)} a row. Never answering it would cost ${((miss * positives) / rows).toPrecision(3)}.`;
}

function startCosts() {
  if (!one("#cutoffs")) return;
  for (const id of ["#cost-alarm", "#cost-miss"]) one(id).addEventListener("input", showCosts);
  showCosts();
}

one("#shown-output")?.addEventListener("change", showAnswer);
startForm();
startCosts();
startPrinting();
