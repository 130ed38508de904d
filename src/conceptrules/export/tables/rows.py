"""A network of one level as the rows of a decision table, and the edits that lead from one table to another.

A cell says what a rule asks of its column, in the words of a rule without the name of the column: `> 27 and <= 41`,
`cook, nurse`, `not cook`, `missing`, `not (> 27)`. An empty cell asks nothing.
"""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from conceptrules.edit.operations import (
    AddRule,
    Batch,
    ChangeRule,
    DropRule,
    Operation,
    Rename,
    SetCutoff,
    SetDefault,
    SetPoints,
    SetPriority,
)
from conceptrules.edit.points import read_points
from conceptrules.edit.rules import normalise
from conceptrules.export.wording import rule_id
from conceptrules.model.conditions import conditions
from conceptrules.model.errors import InputError
from conceptrules.model.network import Concept, Level, Literal, Rule, RuleNetwork
from conceptrules.model.policy.policy import read_known_rule
from conceptrules.model.predicate import Column, Equals, Missing, Predicate, Value, categories_of, printable
from conceptrules.model.rule_reader import read_literals
from conceptrules.model.text import (
    bound_texts,
    category_word,
    column_word,
    find_column,
    literal_text,
    literals_text,
    predicate_text,
    rule_figures,
    rule_text,
)

Amounts = tuple[float, ...]
Key = tuple[Value | None, frozenset[str]]
"""What a row is known again by: its class and its conditions."""
_QUOTED = r'"(?:[^"\\]|\\.)*"'
_GROUP = rf'(?:^|(?<=^not )|(?<= and )|(?<= and not ))\((?:{_QUOTED}|[^"()])*\)'
_AND = re.compile(rf"{_QUOTED}|{_GROUP}|( and )")
_COMMA = re.compile(rf"{_QUOTED}|(, )")
_COMPARISON = re.compile(r"(<=|>=|<|>)\s*(.+)", re.DOTALL)
_CELL_WORDS = re.compile(r"missing$|present$|not\b|[<>=(]", re.IGNORECASE)  # a category like this is put in quotes
_NOUN = {"number": "a number", "date": "a date", "datetime": "a date and time", "duration": "a duration"}
_EXAMPLE = {
    "number": "> 27, <= 41, > 27 and <= 41, missing",
    "date": "> 2021-03-05, <= 2021-12-31",
    "datetime": "> 2021-03-05 14:30",
    "duration": "> 3 days 4:00:00",
}
_PLACE = re.compile(r"^in the rule .*?, at character \d+: ", re.DOTALL)


@dataclass(frozen=True, slots=True)
class TableRow:
    """A rule as a row."""

    number: str
    """What people call the rule, such as R1.3; empty for a new one."""
    cells: tuple[tuple[str, str], ...]
    """The columns that the rule asks about, in the order of the network, each with its cell."""
    label: Value | None = None
    """The class that the rule is for; None in a scorecard."""
    amounts: Amounts = ()
    """What the rule of a scorecard adds to each score, as people say it."""
    name: str = ""
    """What people call the rule."""
    figures: str = ""
    """What the rule covers of the training rows, in words."""
    place: int = 0
    """The row of the sheet that it was read from."""
    places: tuple[str, ...] = ()
    """Where in the sheet each of its cells stands."""


@dataclass(frozen=True, slots=True)
class RuleTable:
    """A network as a decision table."""

    rows: tuple[TableRow, ...]
    """The rules: those of the class that wins first come first."""
    priority: tuple[Value, ...] = ()
    """The classes that have rules, in the order in which they win."""
    default: Value | None = None
    """The class for everything else; None in a scorecard."""
    base: Amounts = ()
    """What the scores of a scorecard start from."""
    cutoff: int | None = None
    """The cut-off of a scorecard of two classes."""


def require_one_level(network: RuleNetwork, reader: str) -> None:
    """Raise an `InputError`, with the name of the reader, if a network has concepts below its classes."""
    if len(network.levels) > 1:
        concepts = len(network.levels[0].concepts)
        raise InputError(
            f"{reader} has rules of one level, and this network has {len(network.levels)}, with concepts from C1.1 to "
            f"C1.{concepts} on the first; learn one with max_levels=1, or export it to a language such as SQL"
        )


def make_table(network: RuleNetwork) -> RuleTable:
    """Return a network of one level as a decision table."""
    require_one_level(network, "a decision table")
    names, rules = dict(network.names), network.levels[0].rules
    said = [frozenset(literals_text(network, 0, rule.literals)) for rule in rules]

    def make_row(index: int, label: Value | None, amounts: Amounts, kind: int | None) -> TableRow:
        name, figures = names.get(rule_text(network, 0, index), ""), rule_figures(network, 0, index, kind)
        cells = _rule_cells(network, rules[index].literals)
        return TableRow(f"R{rule_id(0, index)}", cells, label, amounts, name, figures.strip("()"))

    # Rules that are different inside can read alike. They are one row, in a scorecard with the sum of their points.
    head = network.head
    if head is None:
        concepts = network.levels[0].concepts
        unique = [{said[rule]: rule for rule in reversed(concept.rules)} for concept in concepts]
        owned = [(kind, sorted(unique[kind].values())) for kind in network.priority_indices]
        rows = [make_row(rule, network.classes[kind], (), kind) for kind, rules in owned for rule in rules]
        priority = tuple(network.classes[kind] for kind, rules in owned if rules)
        return RuleTable(tuple(rows), priority, network.default)
    points: dict[frozenset[str], tuple[int, list[int]]] = {}
    for index, row in enumerate(head.points):
        number, sums = points.get(said[index], (index, [0] * head.outputs))
        points[said[index]] = number, [a + b for a, b in zip(sums, row, strict=True)]
    scored = [make_row(index, None, say_amounts(network, sums), None) for index, sums in points.values()]
    cutoff = head.cutoff if head.probabilities else None
    return RuleTable(tuple(scored), base=say_amounts(network, head.base), cutoff=cutoff)


def say_amounts(network: RuleNetwork, points: Sequence[int]) -> Amounts:
    """Return points as people say them: of a number what they add to it, or the factor."""
    head = network.head
    assert head is not None
    if head.step is None:
        return tuple(points)
    if head.link == "log":
        return tuple(math.exp(point * head.step) for point in points)
    return tuple(float(f"{point * head.step:.12g}") for point in points)


# Cells


def _rule_cells(network: RuleNetwork, literals: Sequence[Literal]) -> tuple[tuple[str, str], ...]:
    cells: dict[str, list[str]] = {}
    for condition in conditions(network, 0, literals):
        first = condition.literals[0]
        predicate = condition.both or network.predicates[first.index]
        column = find_column(network, predicate.column)
        cells.setdefault(column.name, []).append(say_cell(predicate, column, first.negated))
    for name, texts in cells.items():
        several = len(set(texts)) > 1  # then two bounds of one range stay together
        ranges = [f"({text})" if several and text[:2] == "> " and " and " in text else text for text in texts]
        cells[name] = list(dict.fromkeys(ranges))
    return tuple((column.name, " and ".join(cells[column.name])) for column in network.columns if column.name in cells)


def say_cell(predicate: Predicate, column: Column, negated: bool = False) -> str:
    """Return what a cell says for one test, or for two bounds.

    >>> from conceptrules.model.predicate import Interval
    >>> say_cell(Interval("age", 27, 41), Column("age")), say_cell(Missing("age"), Column("age"), negated=True)
    ('> 27 and <= 41', 'not missing')
    """
    bounds = None if isinstance(predicate, Missing | Equals) else bound_texts(predicate, column, _words_of(column))
    if bounds is None or bounds == (None, None):
        listed = ", ".join(_category_cell(column, value) for value in categories_of(predicate))
        text = "missing" if isinstance(predicate, Missing) else listed or "present"
        return f"not {text}" if negated else text
    low, high = bounds
    text = " and ".join([*([] if low is None else [f"> {low}"]), *([] if high is None else [f"<= {high}"])])
    return f"not ({text})" if negated else text


def _words_of(column: Column) -> Callable[[Any], str] | None:
    return None if column.ordered else lambda value: _category_cell(column, value)


def _category_cell(column: Column, value: Value) -> str:
    text = category_word(column, value)
    quoted = isinstance(value, str) and text == value and _CELL_WORDS.match(text)
    return printable(json.dumps(text, ensure_ascii=False)) if quoted else text


def _split(separator: re.Pattern[str], text: str) -> Iterator[str]:
    start = 0
    for match in separator.finditer(text):
        if match[1]:
            yield text[start : match.start()].strip()
            start = match.end()
    yield text[start:].strip()


def _say_test(column: Column, part: str) -> str:
    """Return one test of a cell as the text of a rule says it, which may not be valid.

    >>> _say_test(Column("age"), "not (> 27 and <= 41)"), _say_test(Column("job", "category"), "not nurse, cook")
    ('not (27 < age <= 41)', 'job not in {nurse, cook}')
    """
    if part[:4].lower() == "not ":
        inner = _unwrap(part[4:].strip())
        said, name = _say_positive(column, inner), column_word(column)
        if said == f"{name} = {inner}":
            return f"{name} != {inner}"
        return f"{name} not in {{{inner}}}" if said == f"{name} in {{{inner}}}" else f"not ({said})"
    return _say_positive(column, _unwrap(part))


def _unwrap(part: str) -> str:
    """Return comparisons without the brackets around them."""
    bracketed = part.startswith("(") and part.endswith(")") and _COMPARISON.match(part[1:].lstrip())
    return part[1:-1].strip() if bracketed else part


def _say_positive(column: Column, part: str) -> str:
    name = column_word(column)
    if part.lower() in ("missing", "present"):
        if part.lower() == "present" and not column.ordered:
            return _say_test(column, "not missing")
        return predicate_text(Missing(column.name), column) if part.lower() == "missing" else f"{name} is present"
    if column.kind == "boolean" and part.lower() in ("true", "false"):
        return predicate_text(Equals(column.name, part.lower() == "true"), column)
    if (column.ordered or column.kind == "ordinal") and (bounds := _say_bounds(column, part)):
        return bounds
    if column.ordered:
        raise InputError(f"{part!r} is no test of {_NOUN[column.kind]}; write for example {_EXAMPLE[column.kind]}")
    listed = any(match[1] for match in _COMMA.finditer(part))
    return f"{name} in {{{part}}}" if listed else f"{name} = {part}"


def _say_bounds(column: Column, part: str) -> str | None:
    """Return one bound, or a lower and an upper one, as the text of a rule says them; None if they are none."""
    ends = [_COMPARISON.fullmatch(each) for each in _split(_AND, part)]
    low, high = ends[0], ends[-1]
    if low is None or high is None or len(ends) > 2:
        return None
    if len(ends) == 1:
        return f"{column_word(column)} {low[1]} {low[2]}"
    if (low[1][0], high[1][0]) != (">", "<"):
        return None
    return f"{low[2]} {low[1].replace('>', '<')} {column_word(column)} {high[1]} {high[2]}"


def check_cell(network: RuleNetwork, place: str, name: str, text: str) -> list[str]:
    """Return the conditions of a cell as the text of a rule says them; an error begins with its place in the sheet.

    What the network says already is known by its cell, even if it names a category that the column does not list.
    """
    column = find_column(network, name)
    literals = [
        Literal(index, negated)
        for index, predicate in enumerate(network.predicates)
        for negated in (True, False)
        if predicate.column == name
    ]
    known = {
        say_cell(network.predicates[literal.index], column, literal.negated): literal_text(network, 0, literal)
        for literal in literals
    }
    parts = [text] if text in known else [_unwrap(part) for part in _split(_AND, text)]
    new = [part for part in parts if part not in known]
    try:
        read_known_rule("", " and ".join(_say_test(column, part) for part in new) or "always", (column,))
        both = _say_bounds(column, text) if new and column.ordered else None
        if both is not None:
            read_known_rule("", both, (column,))  # which refuses bounds that nothing is between
    except InputError as error:
        message = str(error).removeprefix(": ")
        said = message if message.startswith("column ") else f"column {name!r}: {_PLACE.sub('', message)}"
        raise InputError(f"{place}: {said}") from None
    return [known.get(part) or _say_test(column, part) for part in parts]


# From one table to another


@dataclass(frozen=True, slots=True)
class _Said:
    """A row with what it says as the text of a rule, in the words of the network."""

    row: TableRow
    text: str


def compare_tables(network: RuleNetwork, table: RuleTable) -> Batch:
    """Return the edits that make a network say what a table says; none where it does.

    Rows are known again by what they say, in any order; a row that says something new but has the number of a rule
    whose row is gone changes that rule.
    """
    present = make_table(network)
    texts = {(row.label, row.cells): _network_conditions(network, row) for row in present.rows}
    old = _key_rows(present.rows, list(texts.values()))
    new = _key_rows(table.rows, [texts.get((row.label, row.cells)) or read_row(network, row) for row in table.rows])
    gone = {(row.number, row.label): key for key, (row, _) in old.items() if key not in new}
    origins = {key: key if key in old else gone.pop((row.number, row.label), None) for key, (row, _) in new.items()}
    alike = Counter(_list_keys(normalise(network)))  # rules that are different inside can read alike
    edits: list[Operation] = []
    for key in gone.values():
        edits += [DropRule(old[key][1], old[key][0].label)] * alike[key]
    for key, origin in origins.items():
        row, text = new[key]
        if origin is None:
            edits.append(AddRule(text, row.label, _plain_amounts(row.amounts) if row.amounts else None))
            continue
        before, words = old[origin]
        moved = bool(row.amounts) and read_points(network, row.amounts) != read_points(network, before.amounts)
        if key != origin or moved:
            edits += [DropRule(words, row.label)] * (alike[origin] - 1)
        if key != origin:
            edits.append(ChangeRule(words, text, row.label))
        if moved or (row.amounts and key != origin and alike[origin] > 1):
            edits.append(SetPoints(text, _plain_amounts(row.amounts)))
    edits += _edit_head(network, present, table)
    named = {text: row.name for row, text in new.values()}
    known = dict(network.names)
    edits += [Rename(text, name) for text, name in named.items() if name != known.get(text, "")]
    return Batch(tuple(edits))


def _key_rows(rows: Sequence[TableRow], said: Sequence[Sequence[str]]) -> dict[Key, tuple[TableRow, str]]:
    """Return the rows by their class and their conditions, each with its rule in words."""
    keyed: dict[Key, tuple[TableRow, str]] = {}
    for row, texts in zip(rows, said, strict=True):
        key = row.label, frozenset(texts)
        if key in keyed:
            raise InputError(f"row {row.place} says the same as row {keyed[key][0].place}; leave one of them out")
        keyed[key] = row, " and ".join(texts) or "always"
    return keyed


def _network_conditions(network: RuleNetwork, row: TableRow) -> list[str]:
    return literals_text(network, 0, network.levels[0].rules[int(row.number.partition(".")[2]) - 1].literals)


def _list_keys(network: RuleNetwork) -> Iterator[Key]:
    (level,) = network.levels
    said = [frozenset(literals_text(network, 0, rule.literals)) for rule in level.rules]
    if network.head is not None:
        yield from ((None, texts) for texts in said)
    for name, concept in zip(network.classes, level.concepts, strict=False):
        yield from ((name, said[rule]) for rule in concept.rules)


def read_row(network: RuleNetwork, row: TableRow) -> list[str]:
    """Return the conditions of a row in words, as the network says them."""
    cells = zip(row.places, row.cells, strict=True)
    said = [part for place, (name, text) in cells for part in check_cell(network, place, name, text)]
    extended, literals = read_literals(" and ".join(said) or "always", network)
    level = Level((Rule(literals),), (Concept((0,)),))
    alone = normalise(RuleNetwork(extended.columns, extended.predicates, (level,), ("yes",)))  # in the order of columns
    return literals_text(alone, 0, alone.levels[0].rules[0].literals)


def _plain_amounts(amounts: Amounts) -> float | Amounts:
    return amounts[0] if len(amounts) == 1 else amounts


def _edit_head(network: RuleNetwork, present: RuleTable, table: RuleTable) -> Iterator[Operation]:
    """Yield what sets priority and default, or base and cut-off."""
    if network.head is None:
        if [name for name in network.priority if name in table.priority] != list(table.priority):
            yield SetPriority((*table.priority, *(name for name in network.priority if name not in table.priority)))
        if table.default is not None and table.default != network.default:
            yield SetDefault(table.default)
        return
    if read_points(network, present.base) != read_points(network, table.base):
        yield SetPoints("base", _plain_amounts(table.base))
    if table.cutoff is not None and table.cutoff != present.cutoff:
        yield SetCutoff(table.cutoff)
