"""A network as text."""

from __future__ import annotations

import datetime as dt
import json
import math
import re
from collections.abc import Callable, Iterator, Sequence
from functools import partial

from conceptrules.model.conditions import Condition, conditions
from conceptrules.model.derived import name_derivation
from conceptrules.model.network import Literal, RuleNetwork
from conceptrules.model.precision import interval_text, wilson_interval
from conceptrules.model.predicate import (
    EPOCH,
    Column,
    Equals,
    Interval,
    Kind,
    Missing,
    OneOf,
    Predicate,
    Value,
    categories_of,
    printable,
    run_of,
    state_flag,
)

# A name or value with one of these in it, or like the name of a concept, could be taken for our own words.
_OURS = re.compile(
    r'(^|\s)(and|or|not|is|always|[=<>]|!=|<=|>=)(\s|$)|(^|\s)in \{|, |^[CR]\d+\.\d+\b|^\(|\)$|^\s|\s$|  |"|^$'
)
# How Python writes numbers, true and false.
_OTHER_VALUE = re.compile(r"True|False|-?(\d+(\.\d+)?(e[+-]\d+)?|inf)")
_FIGURES_AT = 100  # the figures of a section line up at the end of its longest rule, but not further right than here


def word(value: object) -> str:
    """Return a name or a value as text, in quotes where it could be misread.

    >>> print(word("job"), word("black and white"))
    job "black and white"
    """
    text = str(value)
    return _quoted(text) if _OURS.search(text) or not text.isprintable() else text


def column_word(column: Column, words: Callable[[object], str] | None = None) -> str:
    """Return the name of a column as text; that of a derived one says itself what it is."""
    return (words or word)(column.name) if column.derivation is None else column.name


def states_itself(column: Column) -> bool:
    """Return whether the name of a column is a test already: `start < end`, `comment mentions "refund"`."""
    return column.derivation is not None and column.kind == "boolean"


def category_word(column: Column, value: Value) -> str:
    """Return a category as text that says which value it is, though a column can list both the text "1" and the number.

    In a column whose categories are all text, 1 is that text, and the number would be (1). In any other column 1 is the
    number, and the text is in quotes.

    >>> jobs, codes = Column("job", "category", ("cook", "1")), Column("code", "category", (1, 2))
    >>> print(category_word(jobs, "1"), category_word(codes, 1), category_word(codes, "1"), category_word(jobs, 1))
    1 1 "1" (1)
    """
    if isinstance(value, str):
        return _quoted(value) if not lists_text(column) and _OTHER_VALUE.fullmatch(value) else word(value)
    return f"({value})" if lists_text(column) else word(value)


def lists_text(column: Column) -> bool:
    """Return whether the categories of a column are all text."""
    return bool(column.categories) and all(isinstance(value, str) for value in column.categories)


def _quoted(text: str) -> str:
    return printable(json.dumps(text, ensure_ascii=False))


def number_text(value: float) -> str:
    """Return as few digits as identify the number: 27, 0.1, 1e-07."""
    return repr(value + 0.0).removesuffix(".0")  # + 0.0 makes 0 of -0


def date_text(microseconds: float) -> str:
    """Return a day, with the time only if it is not midnight."""
    return datetime_text(microseconds).removesuffix(" 00:00")


def datetime_text(microseconds: float) -> str:
    """Return a date-time to the minute, or to the second or microsecond where these are not 0.

    It is rounded down, as durations are: tables hold whole microseconds, and those above 0.7 are those above 0.
    """
    try:
        moment = EPOCH + dt.timedelta(microseconds=math.floor(microseconds))
    except OverflowError:  # years before 1 or after 9999
        return f"1970-01-01 + {duration_text(microseconds)}"
    exact = moment.second or moment.microsecond
    return moment.isoformat(sep=" ", timespec="auto" if exact else "minutes")


def duration_text(microseconds: float) -> str:
    """Return a duration such as 3 days 4:00:00."""
    try:
        text = str(abs(dt.timedelta(microseconds=math.floor(microseconds)))).replace(",", "")
    except OverflowError:
        return f"{number_text(microseconds)} microseconds"
    return f"minus {text}" if microseconds < 0 else text


_FORMATS: dict[Kind, Callable[[float], str]] = {
    "number": number_text,
    "date": date_text,
    "datetime": datetime_text,
    "duration": duration_text,
}


def predicate_text(
    predicate: Predicate, column: Column, words: Callable[[object], str] | None = None, at_most: str = "<="
) -> str:
    """Return a predicate as text; `at_most` stands before an upper bound.

    Names and values are written by `words`, or else by `word` and `category_word`, which `rule_reader` can read.

    >>> predicate_text(Interval("age", 27, 41), Column("age"))
    '27 < age <= 41'
    """
    name, category = column_word(column, words), words or partial(category_word, column)
    match state_flag(predicate, column):
        case Missing() if words is None and states_itself(column):
            return f"({name}) is missing"
        case Equals(value=value) if states_itself(column) and column.derivation:
            return name if value else name_derivation(column.derivation, negated=True)
        case Missing():
            return f"{name} is missing"
        case Equals(value=value):
            return f"{name} = {category(value)}"
        case Interval() | OneOf():
            bounds = bound_texts(predicate, column, words)
            if bounds is not None:
                return _between_text(name, *bounds, at_most)
            return f"{name} in {{{', '.join(map(category, categories_of(predicate)))}}}"
    raise AssertionError(predicate)


def bound_texts(
    predicate: Predicate, column: Column, words: Callable[[object], str] | None = None
) -> tuple[str | None, str | None] | None:
    """Return the lower and the upper bound as text, None where there is none; None for predicates without bounds.

    A run of an ordinal column is above the category before it. All of the order is up to its last one.
    """
    if isinstance(predicate, Interval):
        low, high = (
            (None if math.isinf(end) else _FORMATS[column.kind](end)) for end in (predicate.low, predicate.high)
        )
        return low, high
    run = run_of(predicate, column)
    if run is None:
        return None
    start, stop = run
    category = words or partial(category_word, column)
    low = category(column.categories[start - 1]) if start else None
    return low, None if start and stop == len(column.categories) else category(column.categories[stop - 1])


def value_text(column: Column, value: Value | None) -> str:
    """Return what a row says on a column as text; an ordered value is a number, as the column reads it.

    >>> value_text(Column("age"), 30.0), value_text(Column("age"), None)
    ('age = 30', 'age is missing')
    """
    if states_itself(column):
        return predicate_text(Missing(column.name) if value is None else Equals(column.name, value), column)
    name = column_word(column)
    return f"{name} is missing" if value is None else f"{name} = {value_word(column, value)}"


def value_word(column: Column, value: Value) -> str:
    """Return the value alone as text: 30, 2024-02-29, nurse."""
    if column.ordered and not isinstance(value, str):
        return _FORMATS[column.kind](value)
    return category_word(column, value)


def _between_text(name: str, low: str | None, high: str | None, at_most: str) -> str:
    if low is None and high is None:
        return f"{name} is present"
    if low is None:
        return f"{name} {at_most} {high}"
    return f"{name} > {low}" if high is None else f"{low} < {name} {at_most} {high}"


def literal_text(network: RuleNetwork, level: int, literal: Literal, at_most: str = "<=") -> str:
    """Return a literal as text; `level` counts from 0: on level 0 literals are on predicates, above it on concepts."""
    if level > 0:
        name = concept_name(level - 1, literal.index)
        return f"not {name}" if literal.negated else name
    predicate = network.predicates[literal.index]
    column = find_column(network, predicate.column)
    text = predicate_text(predicate, column, at_most=at_most)
    if not literal.negated:
        return text
    stated = state_flag(predicate, column)
    if isinstance(stated, Equals) and not states_itself(column):
        return f"{word(predicate.column)} != {category_word(column, stated.value)}"
    if isinstance(predicate, OneOf) and not states_itself(column) and run_of(predicate, column) is None:
        name = word(predicate.column)
        return f"{name} not {text.removeprefix(f'{name} ')}"
    return f"not ({text})"  # not `age > 27` for `age <= 27`: on a missing age both are false


def find_column(network: RuleNetwork, name: str) -> Column:
    """Return the column of this name."""
    return next(column for column in network.columns if column.name == name)


def condition_text(network: RuleNetwork, level: int, condition: Condition, at_most: str = "<=") -> str:
    """Return a condition as text: a literal, or two bounds as one (`27 < age <= 41`)."""
    if condition.both is None:
        return literal_text(network, level, condition.literals[0], at_most)
    return predicate_text(condition.both, find_column(network, condition.both.column), at_most=at_most)


def literals_text(network: RuleNetwork, level: int, literals: Sequence[Literal]) -> list[str]:
    """Return the conditions that these literals read as, each as text."""
    return [condition_text(network, level, condition) for condition in conditions(network, level, literals)]


def rule_text(network: RuleNetwork, level: int, index: int) -> str:
    """Return a rule as text; `level` and `index` count from 0."""
    return " and ".join(literals_text(network, level, network.levels[level].rules[index].literals)) or "always"


def decided_rows(network: RuleNetwork, kind: int, rule: int) -> tuple[float, ...] | None:
    """Return the rows by class that a rule decides for a class; None where nobody counted them."""
    if network.statistics is None or not network.statistics.decided:
        return None
    return network.statistics.decided[kind][network.levels[-1].concepts[kind].rules.index(rule)]


def given_name(network: RuleNetwork, node: str) -> str:
    """Return what people call a rule or concept, in quotes where it could be misread; empty where it has no name."""
    name = dict(network.names).get(node, "")
    return name and word(name)


def concept_name(level: int, index: int) -> str:
    """Return the name of a concept below the classes; names count from 1, as people do: the first is C1.1."""
    return f"C{level + 1}.{index + 1}"


def rule_name(level: int, index: int) -> str:
    """Return the number of a rule as people say it; numbers count from 1: the first is R1.1."""
    return f"R{level + 1}.{index + 1}"


def node_names(network: RuleNetwork, layer: int) -> list[str]:
    """Return the nodes of h(layer) as text: predicates, rules, names of concepts, rules, ..., classes."""
    if layer == 0:
        return [literal_text(network, 0, Literal(index)) for index in range(len(network.predicates))]
    number = (layer - 1) // 2
    if layer % 2:
        return [rule_text(network, number, index) for index in range(len(network.levels[number].rules))]
    if layer == 2 * len(network.levels):
        return [word(name) for name in network.classes]
    return [concept_name(number, index) for index in range(len(network.levels[number].concepts))]


def network_text(network: RuleNetwork) -> str:
    """Return a network as text: the classes by priority, or the card of points, then the concepts that rules name.

    Rules have their numbers (R1.3). One that several concepts share is shown with each of them, since its precision
    differs.
    """
    if network.head is not None:
        from conceptrules.model.card import card_text  # it needs this module

        return card_text(network)
    sections = [_header(network), *_class_sections(network), *concept_sections(network), *_unused_sections(network)]
    return "\n\n".join(sections)


def _header(network: RuleNetwork) -> str:
    from conceptrules.model.statistics import edges  # NumPy, which loading a model can do without

    firing = [word(name) for name in network.priority if _rules_of(network, name)]
    rules = rule_count(network)
    if not rules:
        said = no_rules_text(network)
        return f"{said[0].upper()}{said[1:]}."
    size = f"{plural(rules, 'rule')}, {plural(edges(network), 'edge')}."
    order = f" When several classes fire, the first of these wins: {', '.join(firing)}." if len(firing) > 1 else ""
    return f"{size}{order}{_missing_note(network)}"


def _missing_note(network: RuleNetwork) -> str:
    """Say on which columns with gaps a negated test is asked, which a row without a value passes."""
    negated = {each.index for rule in network.levels[0].rules for each in rule.literals if each.negated}
    tests = [network.predicates[index] for index in negated]
    asked = {test.column for test in tests if not isinstance(test, Missing)}
    names = [word(column.name) for column in network.columns if column.missing and column.name in asked]
    return f" Tests with != or not also hold where the value is missing: {', '.join(names)}." if names else ""


def rule_count(network: RuleNetwork) -> int:
    """Return the number of rules, on all levels."""
    return sum(len(level.rules) for level in network.levels)


def no_rules_text(network: RuleNetwork) -> str:
    """Return what a network without rules says; of one that was learned, that no rule was worth its edges."""
    if network.head is not None and network.head.step is not None:
        return "no rule is worth its edges: all rows have the number of the base"
    if network.head is not None:
        return "no rule is worth its points: all rows have the probabilities of the base"
    default = word(network.default)
    if network.training is None:
        return f"there are no rules: the answer is always {default}"
    return f"no rule is better than always answering {default}"


def _class_sections(network: RuleNetwork) -> Iterator[str]:
    turn = ""
    for name in network.priority:
        rules, kind = _rules_of(network, name), network.classes.index(name)
        if rules:
            lines = _lines(network, len(network.levels) - 1, rules, kind)
            yield f"{turn}{word(name)} if{_any_of(rules)}{_base_rate_text(network, kind)}\n{lines}"
            turn = "else "  # where rules of the classes above hold, those of the ones below decide nothing
        elif name != network.default:
            yield f"{word(name)} never"
    yield f"{word(network.default)} for everything else"


def concept_sections(network: RuleNetwork) -> Iterator[str]:
    """Yield the rules of each concept below the last level, from the top."""
    for level in reversed(range(len(network.levels) - 1)):
        for index, concept in enumerate(network.levels[level].concepts):
            name = concept_name(level, index)
            called = given_name(network, name)
            name += f" ({called})" if called else ""
            if concept.rules:
                yield f"{name} means{_any_of(concept.rules)}\n{_lines(network, level, concept.rules)}"
            else:
                yield f"{name} never holds"


def _unused_sections(network: RuleNetwork) -> Iterator[str]:
    """Yield rules that no concept has; only networks that are not simplified have some, and their edges count."""
    for number, level in enumerate(network.levels):
        used = {rule for concept in level.concepts for rule in concept.rules}
        rules = [rule for rule in range(len(level.rules)) if rule not in used]
        if rules:
            yield f"used nowhere on level {number + 1}\n{_lines(network, number, rules)}"


def _lines(network: RuleNetwork, level: int, rules: Sequence[int], right: int | None = None) -> str:
    """Return a line for each rule, those that cover most first; `right` is the class that they speak for, if any."""
    lines = []
    for rule in rules:
        text, covered = rule_text(network, level, rule), _covered(network, level, rule)
        name = given_name(network, text)
        number = f"{rule_name(level, rule)} ({name})" if name else rule_name(level, rule)
        lines.append((-sum(covered), rule, f"{number}: {text}", rule_figures(network, level, rule, right)))
    width = min(max(len(text) for _, _, text, _ in lines), _FIGURES_AT)
    return "\n".join(f"  {text:<{width}}  {figures}".rstrip() for _, _, text, figures in sorted(lines))


def _covered(network: RuleNetwork, level: int, rule: int) -> tuple[float, ...]:
    return network.statistics.covered[level][rule] if network.statistics else ()


def rule_figures(network: RuleNetwork, level: int, rule: int, right: int | None = None) -> str:
    """Return the rows that a rule covers and the share of its class `right` as text; empty without statistics.

    Where it speaks for no class, the share is that of the commonest one. Where it speaks for one, its lift is how often
    it is right compared with the share of the class in all rows, and its recall the share of the class that it covers.
    Where other classes come first on some of these rows, the rows that the rule decides stand beside them.
    """
    covered = _covered(network, level, rule)
    total = sum(covered)
    if not total:
        return "(no rows)" if covered else ""
    if not network.classes:
        return f"({plural(total, 'row')})"
    kind = covered.index(max(covered)) if right is None else right
    meaning = word(network.classes[kind]) if right is None else "right"
    decided = None if right is None else decided_rows(network, right, rule)
    less = "" if decided is None or decided == covered else f"; {_decides(decided, kind)}"
    worth = "" if right is None else _worth_text(network, right, covered)
    return f"({plural(total, 'row')}, {_share(covered[kind], total, meaning)}{worth}{less})"


def _worth_text(network: RuleNetwork, kind: int, covered: tuple[float, ...]) -> str:
    lift, recall = lift_of(network, kind, covered), recall_of(network, kind, covered)
    return "" if lift is None or recall is None else f", lift {lift:.1f}, recall {percent(recall)}"


def base_rate_of(network: RuleNetwork, kind: int) -> float | None:
    """Return the share of a class in the training rows; None where nobody counted them."""
    rows = network.statistics.rows if network.statistics else ()
    return rows[kind] / sum(rows) if rows else None


def lift_of(network: RuleNetwork, kind: int, covered: tuple[float, ...]) -> float | None:
    """Return how much larger the share of a class is in these rows, which are by class, than in all training rows."""
    rate = base_rate_of(network, kind)
    return covered[kind] / sum(covered) / rate if rate and sum(covered) else None


def recall_of(network: RuleNetwork, kind: int, covered: tuple[float, ...]) -> float | None:
    """Return the share of the training rows of a class that is in these rows; None where the class has none."""
    total = network.statistics.rows[kind] if network.statistics else 0
    return covered[kind] / total if total else None


def _base_rate_text(network: RuleNetwork, kind: int) -> str:
    rate = base_rate_of(network, kind)
    return "" if rate is None else f"  (base rate {percent(rate)})"


def _decides(decided: tuple[float, ...], kind: int) -> str:
    total = sum(decided)
    return f"decides {plural(total, 'row')}, {_share(decided[kind], total, 'right')}" if total else "decides no row"


def _share(right: float, rows: float, meaning: str) -> str:
    return f"{percent(right / rows)} {meaning} {interval_text(wilson_interval(right, rows))}"


def _rules_of(network: RuleNetwork, name: Value) -> tuple[int, ...]:
    return network.levels[-1].concepts[network.classes.index(name)].rules


def _any_of(rules: Sequence[int]) -> str:
    return " any of" if len(rules) > 1 else ""


def plural(count: float, noun: str, many: str = "") -> str:
    """Return a count with its noun.

    >>> plural(1, "class", "classes"), plural(1200, "row"), plural(2.25, "row")
    ('1 class', '1,200 rows', '2.25 rows')
    """
    whole = count >= 100 or count == round(count)  # weights can be fractions
    number = f"{count:,.0f}" if whole else f"{count:.3g}"
    return f"{number} {noun if count == 1 else many or noun + 's'}"


def percent(share: float) -> str:
    """Return a share as whole per cent, but 0 % and 100 % only where there is no exception."""
    if share in (0, 1):
        return f"{share:.0%}"
    return "over 99%" if share > 0.99 else "under 1%" if share < 0.01 else f"{share:.0%}"


def align_columns(lines: Sequence[Sequence[str]]) -> str:
    """Return lines of cells as text: the first column is aligned to the left, the others to the right."""
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    texts = []
    for first, *rest in lines:
        cells = (cell.rjust(width) for cell, width in zip(rest, widths[1:], strict=True))
        texts.append("  ".join([first.ljust(widths[0]), *cells]).rstrip())
    return "\n".join(texts)
