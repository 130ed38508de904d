// The values of a column that predicates cannot tell apart, and values with few digits between two others.
"use strict";

// Whether a predicate holds for a value; null is missing.
function holds(predicate, value) {
  if (predicate.kind === "missing") return value === null;
  if (value === null) return false;
  if (predicate.kind === "equals") return value === predicate.option;
  if (predicate.kind === "one_of") return predicate.options.includes(value);
  return (predicate.low === null || predicate.low < value) && (predicate.high === null || value <= predicate.high);
}

// A number with few digits between low and high, about this share of the way.
function between(low, high, share, tolerance) {
  const wanted = low * (1 - share) + high * share;
  for (let digits = 1; digits < 17; digits++) {
    const value = Number(wanted.toPrecision(digits));
    if (low < value && value < high && Math.abs(value - wanted) <= tolerance) return value;
  }
  return low < wanted && wanted < high ? wanted : high;
}

const DAY = 86400e6; // microseconds

// Like `between`, in the steps that values of this column seem to come in: whole numbers, whole days.
function roundedBetween(column, low, high, share, tolerance) {
  const step = column.kind === "date" ? DAY : column.kind === "number" && column.cuts.every((cut) => Number.isInteger(2 * cut)) ? 1 : 0;
  const whole = step && Math.round((low * (1 - share) + high * share) / step) * step;
  return step && low < whole && whole <= high ? whole : between(low, high, share, tolerance);
}

// One value for each part of a column that the predicates cannot tell apart.
function cellsOf(column, predicates) {
  if (column.cells) return column.cells;
  const values = column.ordered ? orderedCells(column) : categoryCells(column, predicates);
  if (column.missing) values.push(null);
  column.cells = values;
  return values;
}

function orderedCells(column) {
  const { cuts, ends } = column;
  if (!cuts.length) return [ends[0]];
  const stops = [ends[0], ...cuts, ends[1]];
  return stops.slice(1).map((high, number) => {
    const low = stops[number];
    if (number === cuts.length) return high > low ? roundedBetween(column, low, high, 0.5, (high - low) / 4) : Infinity;
    return low < high ? roundedBetween(column, low, high, 0.5, (high - low) / 4) : high;
  });
}

// One option for all that no predicate tells apart.
function categoryCells(column, predicates) {
  if (column.kind === "ordinal") return column.options.map((_, option) => option); // the nearest is chosen later
  const named = new Set(predicates.flatMap((one) => (one.kind === "equals" ? [one.option] : one.kind === "one_of" ? one.options : [])));
  named.delete(null);
  const cells = new Map();
  for (const option of named) {
    const answers = predicates.map((predicate) => holds(predicate, option)).join();
    if (!cells.has(answers)) cells.set(answers, option);
  }
  const asked = new Set(cells.values());
  const rest = column.options.findIndex((_, option) => !named.has(option));
  return [...asked, ...(rest >= 0 ? [rest] : column.open ? [OTHER] : [])];
}

const OTHER = -1; // a category that is none of the options
