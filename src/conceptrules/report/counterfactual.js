// The counterfactual of a row: the fewest columns to change for another decision. The search is exact, and runs in steps,
// so that the page never freezes.
"use strict";

// The network in flat arrays: the search asks about hundreds of thousands of states.
function flattened(model) {
  if (model.flat) return model.flat;
  const levels = model.levels.map((level) => ({
    rules: level.rules.map((rule) => Int32Array.from(rule, ([index, negated]) => 2 * index + negated)),
    concepts: level.concepts.map((concept) => Int32Array.from(concept)),
    ruleYes: new Int32Array(level.rules.length),
    ruleNo: new Int32Array(level.rules.length),
    costs: new Int32Array(2 * level.concepts.length),
  }));
  const columns = Int32Array.from(model.predicates, (predicate) => predicate.column);
  const seen = new Int32Array(model.columns.length);
  model.flat = { levels, columns, seen, stamp: 0, costs: new Int32Array(2 * columns.length) };
  return model.flat;
}

const NEVER = 1 << 28; // more changes than there are columns: it cannot be

// How many columns must change, at least, for each class to fire, at 2 * class, and not to fire, after it. 0 says that it
// is so already, NEVER that it cannot be. `free[column]` says whether a column may still change.
function costs(model, bits, free) {
  const flat = flattened(model);
  let below = flat.costs;
  for (let index = 0; index < bits.length; index++) {
    const change = free[flat.columns[index]] ? 1 : NEVER;
    below[2 * index] = bits[index] ? 0 : change;
    below[2 * index + 1] = bits[index] ? change : 0;
  }
  flat.levels.forEach((level, depth) => {
    for (let number = 0; number < level.rules.length; number++) {
      const rule = level.rules[number];
      level.ruleYes[number] = depth ? most(rule, below) : columnsOf(flat, rule, below);
      level.ruleNo[number] = leastNegated(rule, below);
    }
    for (let number = 0; number < level.concepts.length; number++) {
      level.costs[2 * number] = least(level.concepts[number], level.ruleYes);
      level.costs[2 * number + 1] = most(level.concepts[number], level.ruleNo);
    }
    below = level.costs;
  });
  return below;
}

function most(items, cost) {
  let found = 0;
  for (let place = 0; place < items.length; place++) if (cost[items[place]] > found) found = cost[items[place]];
  return found;
}

function least(items, cost) {
  let found = NEVER;
  for (let place = 0; place < items.length; place++) if (cost[items[place]] < found) found = cost[items[place]];
  return found;
}

// A rule fails as soon as one of its literals does.
function leastNegated(rule, cost) {
  let found = NEVER;
  for (let place = 0; place < rule.length; place++) if (cost[rule[place] ^ 1] < found) found = cost[rule[place] ^ 1];
  return found;
}

// A rule on predicates needs as many changes as columns in which it fails.
function columnsOf(flat, rule, cost) {
  const stamp = ++flat.stamp;
  let count = 0;
  for (let place = 0; place < rule.length; place++) {
    const change = cost[rule[place]];
    if (change === NEVER) return NEVER;
    const column = flat.columns[rule[place] >> 1];
    if (change && flat.seen[column] !== stamp) {
      flat.seen[column] = stamp;
      count++;
    }
  }
  return count;
}

// The fewest changes, at least, that give another class than `from`; 0 exactly if it is another one now.
function flipCost(model, bits, free, from) {
  const cost = costs(model, bits, free);
  let higher = 0; // all classes before must not fire
  let best = NEVER;
  for (const index of model.priority) {
    if (index !== from) best = Math.min(best, Math.max(higher, cost[2 * index]));
    higher = Math.max(higher, cost[2 * index + 1]);
  }
  return model.default === from ? best : Math.min(best, higher);
}

// Yields now and then; returns {changes: [[column, value], ...] or null, proved, atLeast}.
function* findCounterfactual(model, row, from, fixed = new Set(), limit = 1000000) {
  const columns = model.columns.map((_, number) => number).filter((number) => !fixed.has(number));
  const by = model.columns.map(() => []);
  model.predicates.forEach((predicate, index) => by[predicate.column].push(index));
  const bits = model.predicates.map((predicate) => holds(predicate, row[predicate.column]));
  const free = model.columns.map((_, number) => columns.includes(number));
  const choices = model.columns.map((column, number) => (free[number] ? otherCells(model, column, by[number], bits, row[number]) : []));
  const work = { left: limit };
  for (let size = 1; size <= columns.length; size++) {
    if (flipCost(model, bits, free, from) >= NEVER) break;
    const changes = yield* searched(size, 0, []);
    if (work.left < 0) return { changes: null, proved: false, atLeast: size };
    if (changes) return { changes, proved: true, atLeast: size };
  }
  return { changes: null, proved: true, atLeast: Infinity };

  function* searched(budget, start, made) {
    if (work.left-- < 0) return null;
    if (work.left % 500 === 0) yield;
    const cost = flipCost(model, bits, free, from);
    if (cost === 0) return made;
    if (cost > budget) return null;
    let found = null;
    for (let place = start; place < columns.length && !found && work.left >= 0; place++) {
      const column = columns[place];
      free[column] = false; // from here on it is changed, or stays as it is
      const before = by[column].map((index) => bits[index]);
      for (const [value, after] of choices[column]) {
        by[column].forEach((index, number) => (bits[index] = after[number]));
        found = yield* searched(budget - 1, place + 1, [...made, [column, value]]);
        if (found) break;
      }
      by[column].forEach((index, number) => (bits[index] = before[number]));
    }
    for (let place = start; place < columns.length; place++) free[columns[place]] = true;
    return found;
  }
}

// The other cells of a column with what its predicates say there, the nearest first.
function otherCells(model, column, indices, bits, value) {
  const predicates = indices.map((index) => model.predicates[index]);
  const now = indices.map((index) => bits[index]).join();
  const cells = cellsOf(column, predicates)
    .map((cell) => [cell, predicates.map((predicate) => holds(predicate, cell))])
    .filter(([, after]) => after.join() !== now);
  const far = (column.ordered || column.kind === "ordinal") && value !== null && value !== OTHER;
  const distance = ([cell]) => (cell === null ? Infinity : far ? Math.abs(cell - value) : 0);
  cells.sort((one, other) => distance(one) - distance(other) || 0);
  const seen = new Set();
  return cells.filter(([, after]) => !seen.has(after.join()) && seen.add(after.join()));
}
