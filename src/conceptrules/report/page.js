// What the pages of all heads share: a row to try, in the form that is made from its columns, and printing. The script of
// the head, decision.js or card.js, says what becomes of the row: `showAnswer`.
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

// ---------------------------------------------------------------- try a row

const STEPS = 24; // of a slider, from one cut to the next: all parts of a column are equally wide
const MILLISECOND = 1000;
const SECOND = 1e6;
const row = model.columns.map((column) =>
  column.kind === "text" ? "" : column.ordered ? column.ends[0] : column.options.length ? 0 : OTHER,
);
const fixed = new Set();

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
  if (column.kind === "text") return value;
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
  if (model.derived.some((each) => each.left === column.name || each.right === column.name)) return "";
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
  if (value === null || column.ordered || column.kind === "text") return value;
  if (value === OTHER) return column.other;
  const raw = column.options[value].value;
  if (typeof raw !== "object") return raw;
  return raw.whole === undefined ? (raw.infinity ? Infinity : -Infinity) : BigInt(raw.whole);
}

function showField(number) {
  const field = one(`.field[data-column="${number}"]`);
  const [column, value] = [model.columns[number], row[number]];
  const [select, area] = [one("select", field), one("textarea", field)];
  if (select) {
    select.value = value === null ? "missing" : String(value);
    return;
  }
  if (area) {
    if (document.activeElement !== area) area.value = value ?? "";
    one(".missing", field).checked = value === null;
    one(".marked", field).replaceChildren(...markedText(number, value ?? ""));
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
  showAnswer();
}

function setRow(values) {
  values.forEach((value, number) => {
    const isText = model.columns[number].kind === "text";
    row[number] = typeof value === "string" && !isText ? Number(value) : value; // JSON has no infinity: it comes as text
    showField(number);
  });
  showAnswer();
}

function startField(field) {
  const number = Number(field.dataset.column);
  const column = model.columns[number];
  const select = one("select", field);
  one(".keep", field)?.addEventListener("change", (event) => {
    if (event.target.checked) fixed.add(number);
    else fixed.delete(number);
    showAnswer();
  });
  const area = one("textarea", field);
  if (area) {
    area.addEventListener("input", () => setValue(number, area.value));
    one(".missing", field).addEventListener("change", (event) => setValue(number, event.target.checked ? null : area.value));
    return;
  }
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

// ---------------------------------------------------------------- what is worked out from the row

const WORD = /[A-Za-z0-9\u0080-\uffff]+/g;
const small = (text) => text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());

// Where a text mentions one of these terms: the first character and the one after the last.
function spansOf(text, terms) {
  const words = [...text.matchAll(WORD)].map((match) => [match.index, match.index + match[0].length, small(match[0])]);
  const spans = [];
  words.forEach(([start], place) => {
    for (const term of terms.map((each) => each.split(" "))) {
      const run = words.slice(place, place + term.length);
      if (run.length < term.length || !run.every(([, , word], number) => word === term[number])) continue;
      const [last, end] = [spans[spans.length - 1], run[run.length - 1][1]];
      if (last && start < last[1]) last[1] = Math.max(last[1], end);
      else spans.push([start, end]);
    }
  });
  return spans;
}

function markedText(number, text) {
  const name = model.columns[number].name;
  const terms = model.derived.flatMap((each) => (each.column === name && each.terms) || []);
  const parts = [];
  let place = 0;
  for (const [start, end] of spansOf(text, terms)) {
    parts.push(text.slice(place, start), element("mark", {}, text.slice(start, end)));
    place = end;
  }
  return [...parts, text.slice(place)];
}

function derivedValue(each, values) {
  const read = (name) => values[model.columns.findIndex((column) => column.name === name)];
  if (each.terms) return Number(spansOf(read(each.column) ?? "", each.terms).length > 0);
  if (each.operator === undefined) return read(each.column) === null ? null : [...read(each.column)].length;
  const [left, right] = [read(each.left), read(each.right)];
  if (left === null || right === null || (each.operator === "/" && right === 0)) return null;
  if (each.operator === "<") return Number(left < right);
  const result = each.operator === "-" ? left - right : left / right;
  return Number.isNaN(result) ? null : result;
}

// A row with what is worked out from it, as predicates ask about it.
const withDerived = (values) => [...values, ...model.derived.map((each) => derivedValue(each, values))];

function showDerived() {
  const items = model.derived.map((each, number) => {
    const value = withDerived(row)[model.columns.length + number];
    const isFlag = each.kind === "boolean" && value !== null;
    const text = isFlag ? (value ? "yes" : "no") : valueText({ kind: each.kind, ordered: true }, value);
    return [element("dt", {}, each.name), element("dd", {}, text)];
  });
  one("#derived")?.replaceChildren(...items.flat());
}

function percent(share) {
  if (share === 0 || share === 1) return `${share * 100}%`;
  return share > 0.99 ? "over 99%" : share < 0.01 ? "under 1%" : `${Math.round(share * 100)}%`;
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
