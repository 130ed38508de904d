"""A network from DMN: a table of our own, or what a table of another tool says that rules can say, too."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from graphlib import CycleError, TopologicalSorter
from itertools import product
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

from conceptrules.edit.rules import normalise
from conceptrules.export.inputs import Family
from conceptrules.export.tables.dmn import dmn, score_names
from conceptrules.export.tables.feel import FeelReader
from conceptrules.export.tables.value_sets import ValueSet, asks_nothing, only_of, state_set
from conceptrules.io.model_file import loads
from conceptrules.model.errors import InputError, shortened
from conceptrules.model.heads import Points
from conceptrules.model.network import Concept, Level, Literal, Rule, RuleNetwork
from conceptrules.model.predicate import Column, Kind, Predicate, Value, key_of
from conceptrules.model.rule_reader import nearest_name
from conceptrules.model.text import word

_KINDS: dict[str, Kind] = {
    **dict.fromkeys(("number", "integer", "int", "long", "short", "double", "float", "decimal"), "number"),
    **dict.fromkeys(("", "any", "string"), "category"),
    **{"boolean": "boolean", "date": "date", "datetime": "datetime", "date and time": "datetime"},
    **dict.fromkeys(("daytimeduration", "days and time duration", "duration"), "duration"),
}
_NAME = re.compile(r"[^\W\d][\w .]*")


@dataclass(frozen=True, slots=True)
class DmnRow:
    """A row of a table as it was read."""

    place: str
    """Which row it is, in words."""
    sets: dict[str, ValueSet]
    """What it asks of each column, where it asks anything."""
    answer: Value
    """A class, or points."""


def read_dmn(text: str, *, default: Value | None = None) -> RuleNetwork:
    """Return the network of a DMN file with one decision table, or of a scorecard that this package wrote.

    Parameters
    ----------
    text : str
        The DMN, as XML. Tables with the hit policies FIRST, UNIQUE, ANY and PRIORITY give classes; COLLECT with SUM
        gives points that add up to a number.
    default : class label, optional
        The class where no row holds, for tables that have no row for everything else.

    Returns
    -------
    RuleNetwork
        The network. Of a table of another tool, columns have the kinds of its inputs, and the categories that it names.

    Raises
    ------
    InputError
        If the file is no DMN, or uses what a network cannot say: the message names the row and the input.
    """
    root = _parse(text)
    if root.tag != "definitions":
        raise InputError(f"the file is no DMN: it begins with {shortened(root.tag, 60)!r}, not with 'definitions'")
    kept = root.find("extensionElements/model")
    base = None if kept is None else loads(kept.text or "")
    tables = {
        each.get("name", ""): table
        for each in root.iter("decision")
        if (table := each.find("decisionTable")) is not None
    }
    if base is not None and base.head is not None:
        return _read_card(root, tables, base, base.head)
    if len(tables) != 1:
        listed = f": {', '.join(map(repr, tables))}" if tables else ""
        raise InputError(f"the file has {len(tables)} decision tables{listed}; a network is one of them, so leave one")
    others = [each.get("name") for each in root.iter("decision") if each.find("decisionTable") is None]
    if others:
        raise InputError(f"the decision {others[0]!r} is an expression, which a network cannot say; leave it out")
    ((name, table),) = tables.items()
    policy, total = table.get("hitPolicy", "UNIQUE"), table.get("aggregation")
    columns, names = _read_columns(root, table, base)
    rows = list(_read_rows(table, columns, names))
    if policy == "COLLECT" and total == "SUM":
        return _make_card(name, columns, rows)
    if policy not in ("FIRST", "UNIQUE", "ANY", "PRIORITY"):
        said = f"{policy} {total}" if total else policy
        raise InputError(
            f"the table has the hit policy {said}; a network has FIRST, UNIQUE, ANY, PRIORITY, COLLECT SUM"
        )
    rows, default = _split_default(table, rows, policy, default)
    ranked = _list_outputs(table)
    classes = base.classes if base is not None else _unique([*ranked, *(row.answer for row in rows), default])
    for row in [*rows, DmnRow("the default", {}, default)]:
        if row.answer not in classes:
            raise InputError(
                f"{row.place}: {row.answer!r} is no class; {nearest_name(str(row.answer), list(map(str, classes)))}"
            )
    usual = classes if base is None else base.priority
    order = _unique([*ranked, *classes]) if policy == "PRIORITY" else _order_classes(rows, policy, usual)
    predicates, rules = _make_rules(rows, columns, base.predicates if base is not None else ())
    owned = [Concept(tuple(place for place, (row, _) in enumerate(rules) if row.answer == name)) for name in classes]
    level = Level(tuple(rule for _, rule in rules), tuple(owned))
    network = normalise(
        RuleNetwork(tuple(columns.values()), predicates, (level,), classes, order, default, target=name)
    )
    return network if base is None else replace(network, target=base.target, reason_codes=base.reason_codes)


def _parse(text: str) -> Element:
    """Return the XML without the namespaces of its tags: files of DMN 1.1 to 1.5 differ in them."""
    try:
        root = ElementTree.fromstring(text)
    except (ElementTree.ParseError, ValueError) as error:
        raise InputError(f"the file is no DMN: {error}") from None
    for element in root.iter():
        element.tag = element.tag.rpartition("}")[2]
    return root


def _unique(values: Sequence[Value]) -> tuple[Value, ...]:
    return tuple({key_of(value): value for value in values}.values())


# Inputs and entries


def _text_of(element: Element | None) -> str:
    text = None if element is None else element.find("text")
    return "" if text is None or text.text is None else text.text.strip()


def _read_columns(root: Element, table: Element, base: RuleNetwork | None) -> tuple[dict[str, Column], list[str]]:
    """Return the columns of the network, and the column of each input."""
    kept = root.find("extensionElements/model")
    fields: dict[str, str] = json.loads(kept.get("fields", "{}")) if kept is not None else {}
    types = {each.get("name"): _read_type(each) for each in root.iter("itemDefinition")}
    entries = [[_text_of(entry) for entry in rule.findall("inputEntry")] for rule in table.findall("rule")]
    columns = {} if base is None else {column.name: column for column in base.columns}
    names: list[str] = []
    for place, each in enumerate(table.findall("input")):
        expression = each.find("inputExpression")
        text = _text_of(expression)
        name = fields.get(text, text)
        if not _NAME.fullmatch(text):
            raise InputError(f"input {place + 1}: {shortened(text, 60)!r} is worked out; make its value an input")
        if name in names:
            raise InputError(f"input {place + 1}: {name!r} is asked for by two inputs; make one of them")
        names.append(name)
        if base is not None and name not in columns:
            raise InputError(f"input {place + 1}: {name!r} is no column; {nearest_name(name, list(columns))}")
        if base is None:
            kind = "" if expression is None else expression.get("typeRef", "")
            texts = [_text_of(each.find("inputValues")), *(row[place] for row in entries if place < len(row))]
            columns[name] = _make_column(name, types.get(kind, kind), texts, place + 1)
    return columns, names


def _read_type(definition: Element) -> str:
    kind = definition.find("typeRef")
    return "" if kind is None or kind.text is None else kind.text.strip()


def _make_column(name: str, kind: str, texts: Sequence[str], place: int) -> Column:
    """Return a column for an input of another tool, from its type and its entries."""
    known = kind.rpartition(":")[2].lower()
    if known not in _KINDS:
        raise InputError(f"input {place}: {name!r} is of the type {kind}, which no column has")
    readers = [FeelReader(text, Column(name), "text") for text in texts]
    tokens = [token for reader in readers for token in reader.tokens]
    compared = any(group in ("sign", "dots") for group, _ in tokens)
    made: Kind = _KINDS[known]
    if not kind or known in ("any", "feel:any"):
        made = "number" if compared else "boolean" if {"true", "false"} & {text for _, text in tokens} else "category"
    if made == "number" and not compared and any(group == "number" for group, _ in tokens):
        made = "category"  # codes: nothing is asked of them but which they are
    if made != "category":
        return Column(name, made)
    values = _unique(
        [FeelReader(text, Column(name), "text").value() for group, text in tokens if group in ("text", "number")]
    )
    return Column(name, "category", values)


def _family_of(column: Column) -> Family:
    return "ordered" if column.ordered else "flag" if column.kind == "boolean" else "text"


def _read_rows(table: Element, columns: Mapping[str, Column], names: Sequence[str]) -> Iterator[DmnRow]:
    if len(table.findall("output")) != 1:
        labels = [each.get("label") or each.get("name") or "" for each in table.findall("output")]
        raise InputError(f"the table has {len(labels)} outputs ({', '.join(labels)}), and a network has one answer")
    for number, rule in enumerate(table.findall("rule"), start=1):
        entries, answers = rule.findall("inputEntry"), rule.findall("outputEntry")
        if len(entries) != len(names) or len(answers) != 1:
            raise InputError(f"row {number}: there are {len(entries)} entries for {len(names)} inputs")
        sets = {}
        for name, entry in zip(names, entries, strict=True):
            column = columns[name]
            try:
                values = FeelReader(_text_of(entry), column, _family_of(column)).read()
            except InputError as error:
                raise InputError(f"row {number}, input {name!r}: {error}") from None
            values = only_of(values, column.ordered)
            if not asks_nothing(values):
                sets[name] = values
        yield DmnRow(f"row {number}", sets, _read_literal(f"row {number}, output", _text_of(answers[0])))


def _read_literal(place: str, text: str) -> Value:
    reader = FeelReader(text, Column("output"), "text")
    try:
        value = reader.value()
    except InputError:
        value = None
    if value is None or reader.place < len(reader.tokens):
        raise InputError(
            f"{place}: {shortened(text, 60)!r} is no text, number, true or false, which an answer has to be"
        )
    return value


def _list_outputs(table: Element) -> list[Value]:
    """Return the values that the output lists, if it does."""
    text = _text_of(table.find("output/outputValues"))
    tokens = FeelReader(text, Column("output"), "text").tokens
    return [_read_literal("the values of the output", part) for group, part in tokens if part != ","]


# Which class wins


def _split_default(
    table: Element, rows: list[DmnRow], policy: str, default: Value | None
) -> tuple[list[DmnRow], Value]:
    """Return the rows without the last one if it is for everything else, and the class for everything else."""
    stated = _text_of(table.find("output/defaultOutputEntry"))
    if policy == "FIRST" and rows and not rows[-1].sets:
        return rows[:-1], rows[-1].answer
    if default is None and not stated:
        raise InputError(
            "no row is for everything else: add one with - in all inputs, or say default=, the class there"
        )
    return rows, default if default is not None else _read_literal("the default", stated)


def _order_classes(rows: Sequence[DmnRow], policy: str, usual: Sequence[Value]) -> tuple[Value, ...]:
    """Return the classes so that the upper row wins wherever two rows can hold: in the usual order if it does that."""
    places = {key_of(name): place for place, name in enumerate(usual)}
    sorter: TopologicalSorter[Value] = TopologicalSorter(dict.fromkeys(usual, ()))
    fits = True
    for place, row in enumerate(rows):
        for earlier in rows[:place]:
            if key_of(earlier.answer) != key_of(row.answer) and _overlap(earlier, row):
                if policy != "FIRST":
                    raise InputError(
                        f"{earlier.place} and {row.place} can hold together, which {policy} does not allow"
                    )
                sorter.add(row.answer, earlier.answer)
                fits = fits and places[key_of(earlier.answer)] < places[key_of(row.answer)]
    try:
        return tuple(usual) if fits else tuple(sorter.static_order())
    except CycleError as error:
        cycle = " and ".join(map(word, error.args[1][:2]))
        raise InputError(
            f"rows of {cycle} decide by turns, one above, then the other; a network has one order of its classes, so "
            "let such rows exclude each other"
        ) from None


def _overlap(first: DmnRow, second: DmnRow) -> bool:
    shared = first.sets.keys() & second.sets.keys()
    return all(not (first.sets[name] & second.sets[name]).empty for name in shared)


# Rules and points


def _make_rules(
    rows: Sequence[DmnRow], columns: Mapping[str, Column], predicates: Sequence[Predicate]
) -> tuple[tuple[Predicate, ...], list[tuple[DmnRow, Rule]]]:
    """Return the predicates and the rules of rows; a row that a rule cannot say becomes several."""
    known = {name: [each for each in predicates if each.column == name] for name in columns}
    numbers = {predicate: place for place, predicate in enumerate(dict.fromkeys(predicates))}
    rules: list[tuple[DmnRow, Rule]] = []
    for row in rows:
        if any(values.empty for values in row.sets.values()):
            continue
        ways = [
            list(state_set(values, columns[name], _family_of(columns[name]), known[name]))
            for name, values in row.sets.items()
        ]
        for way in product(*ways):
            tests = [test for part in way for test in part]
            literals = [Literal(numbers.setdefault(test.predicate, len(numbers)), test.negated) for test in tests]
            rules.append((row, Rule(tuple(literals))))
    return tuple(numbers), rules


def _make_card(name: str, columns: Mapping[str, Column], rows: Sequence[DmnRow]) -> RuleNetwork:
    """Return the scorecard of a number, from a table of another tool whose rows add up."""
    amounts = []
    for row in rows:
        if isinstance(row.answer, str | bool):
            raise InputError(f"{row.place}, output: {row.answer!r} is no number, and rows of COLLECT SUM add up")
        amounts.append(Decimal(repr(row.answer)))
    places = max([0, *(-int(amount.normalize().as_tuple().exponent) for amount in amounts)])
    if places > 9 or any(abs(amount) * 10**places >= 2**31 for amount in amounts):
        raise InputError("the numbers that the rows add have more than 9 digits; points of a network do not")
    points = [int(amount * 10**places) for amount in amounts]
    always = [point for row, point in zip(rows, points, strict=True) if not row.sets]
    predicates, rules = _make_rules([row for row in rows if row.sets], columns, ())
    by_place = {row.place: point for row, point in zip(rows, points, strict=True)}
    head = Points(tuple((by_place[row.place],) for row, _ in rules), (sum(always),), step=float(f"1e-{places}"))
    level = Level(tuple(rule for _, rule in rules), ())
    return RuleNetwork(tuple(columns.values()), predicates, (level,), (), head=head, target=name)


def _read_card(root: Element, tables: Mapping[str, Element], base: RuleNetwork, head: Points) -> RuleNetwork:
    """Return the scorecard of a file of ours, with the points that its tables have now."""
    points: dict[tuple[Rule, ...], list[int]] = {}
    sums, predicates = list(head.base), base.predicates
    for output, score in enumerate(score_names(base)):
        if score not in tables:
            raise InputError(f"the file has no decision {score!r} any more, whose rows have the points")
        columns, names = _read_columns(root, tables[score], base)
        rows = list(_read_rows(tables[score], columns, names))
        for row in rows:
            if not isinstance(row.answer, int) or isinstance(row.answer, bool):
                raise InputError(
                    f"decision {score!r}, {row.place}, output: points are whole numbers, not {row.answer!r}"
                )
        sums[output] = sum(int(row.answer) for row in rows if not row.sets)
        predicates, rules = _make_rules([row for row in rows if row.sets], columns, predicates)
        for row, rule in rules:
            points.setdefault((rule,), [0] * head.outputs)[output] += int(row.answer)
    level = Level(tuple(rule for (rule,) in points), ())
    head = replace(head, points=tuple(map(tuple, points.values())), base=tuple(sums))
    network = normalise(replace(base, predicates=predicates, levels=(level,), head=head))
    written = {each.get("name"): _plain(each) for each in _parse(dmn(network)).iter("decision")}
    for each in root.iter("decision"):
        name = each.get("name")
        if name not in score_names(base) and written.get(name) != _plain(each):
            raise InputError(
                f"the decision {name!r} was changed, and only the rows of points are read; change the cut-off and the "
                "probabilities by edits of the model"
            )
    return network


def _plain(element: Element) -> list[str]:
    return [(part.text or "").strip() for part in element.iter("text")]
