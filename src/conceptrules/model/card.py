"""A scorecard as people read it: the bins of a column under each other, rules of several columns, the probabilities.

`read_card` collects what there is to show as a value; `card_text` and the notebook's table draw it.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from textwrap import wrap

from conceptrules.model.conditions import Condition, conditions
from conceptrules.model.derived import Mention
from conceptrules.model.heads import Points
from conceptrules.model.network import Literal, RuleNetwork
from conceptrules.model.predicate import (
    Column,
    Equals,
    Interval,
    Missing,
    Predicate,
    Value,
    categories_of,
    finite_bounds,
    holds,
    key_of,
    state_flag,
)
from conceptrules.model.statistics import edges
from conceptrules.model.text import (
    align_columns,
    bound_texts,
    category_word,
    column_word,
    concept_sections,
    condition_text,
    find_column,
    given_name,
    plural,
    rule_count,
    rule_text,
    states_itself,
    word,
)

_MOST_BANDS = 10
_MOST_COLUMNS = 8  # of points beside each other; of more classes, a line lists those that have points
_WIDEST = 88  # letters of a rule; longer ones take several lines


@dataclass(frozen=True, slots=True)
class CardLine:
    """A rule and its points."""

    rule: int
    """The number of the rule on the last level, counted from 0; -1 for the base."""
    column: str
    """The only column that the rule asks about, as text; empty for rules of several columns."""
    text: str
    """The bin of that column, or the whole rule."""
    name: str
    """What people call the rule, as text; empty where it has no name."""
    points: tuple[int, ...]
    covered: tuple[float, ...] | None
    """The training rows on which the rule holds, by class; None without statistics."""


@dataclass(frozen=True, slots=True)
class Band:
    """Scores from `low` to `high`, and the probability of the second class there."""

    low: int | None
    """The least score; None where the band holds all scores up to `high`."""
    high: int | None
    """The largest score; None where the band holds all scores from `low` on."""
    least: float
    most: float
    rows: tuple[float, ...] | None
    """The training rows with these scores, by class; None where nobody counted them."""

    @property
    def text(self) -> str:
        """The scores in words."""
        if self.low is None or self.high is None:
            return "all" if self.low is self.high else f"up to {self.high}" if self.low is None else f"from {self.low}"
        return f"{self.low}" if self.low == self.high else f"{self.low} to {self.high}"

    @property
    def chance(self) -> str:
        """The probabilities in words."""
        return " to ".join(dict.fromkeys(map(chance_text, (self.least, self.most))))


@dataclass(frozen=True, slots=True)
class Card:
    """What there is to show of a scorecard."""

    outputs: tuple[str, ...]
    """What the points are for, as text: the second class of two, each class, or the number that is predicted."""
    base: CardLine
    groups: tuple[tuple[CardLine, ...], ...]
    """The rules of one column each, column by column, and in the order of the bins."""
    mixed: tuple[CardLine, ...]
    """The rules of several columns."""
    bands: tuple[Band, ...]
    """The probabilities by score; empty for several classes and for a number."""
    sentences: tuple[str, ...]
    """How large the card is, how to read it, and how it answers."""
    label: str
    """What the probabilities are of, as text: the second class of two, after the name of the target if there is one."""
    counted: bool
    """Whether it shows training rows and the share of the second class among them."""
    step: float | None = None
    """What a point adds to the number that is predicted, or to its logarithm; None of classes."""
    link: str = "identity"
    """With "log", points multiply the number that is predicted."""

    @property
    def headings(self) -> list[str]:
        """The headings of the points and the figures."""
        points = list(self.outputs) if 1 < len(self.outputs) <= _MOST_COLUMNS else ["points"]
        if self.step is not None:
            return [self.outputs[0], *(["rows"] if self.counted else [])]
        return [*points, *(["rows", self.label] if self.counted else [])]

    def cells(self, points: Sequence[int]) -> list[str]:
        """Return points as text, for each output a cell; for many outputs, one cell that lists those that have some."""
        if len(self.outputs) <= _MOST_COLUMNS:
            return [points_text(value, self.step, self.link) for value in points]
        return [_join_points(self.outputs, points)]

    def line_cells(self, line: CardLine) -> list[str]:
        """Return the points of a rule, and its figures if there are some."""
        if line.rule < 0 and self.link == "log":
            cells = [amount_text(line.points[0], self.step, self.link)]
        else:
            cells = [cell or "0" * (line.rule < 0) for cell in self.cells(line.points)]
        figures = row_cells(line.covered) if self.counted else []
        return [*cells, *(figures if self.step is None else figures[:1])]


def read_card(network: RuleNetwork) -> Card:
    """Return what there is to show of a scorecard; columns and rules with most points come first."""
    head = points_of(network)
    lines = [_read_line(network, head, rule) for rule in range(len(head.points))]
    columns: dict[str, list[CardLine]] = {}
    for line in lines:
        if line.column:
            columns.setdefault(line.column, []).append(line)
    groups = [sorted(group, key=lambda line: _bin_key(network, line.rule)) for group in columns.values()]
    return Card(
        outputs=output_names(network),
        base=CardLine(-1, "", "base", "", head.base, network.statistics.rows if network.statistics else None),
        groups=tuple(tuple(group) for group in sorted(groups, key=_spread, reverse=True)),
        mixed=tuple(sorted((line for line in lines if not line.column), key=lambda line: -_spread([line]))),
        bands=tuple(_read_bands(network, head)) if head.probabilities else (),
        sentences=tuple(card_sentences(network)),
        label="" if head.step is not None else positive_text(network),
        counted=network.statistics is not None and len(network.classes) in (0, 2),
        step=head.step,
        link=head.link,
    )


def points_of(network: RuleNetwork) -> Points:
    """Return the points of a scorecard."""
    assert network.head is not None
    return network.head


def output_names(network: RuleNetwork) -> tuple[str, ...]:
    """Return what each score is for, as text: the second class of two, each class, or the number that is predicted."""
    if not network.classes:
        return (word(network.target) if network.target else "prediction",)
    return tuple(map(word, network.classes[1:] if len(network.classes) == 2 else network.classes))


def chance_text(probability: float) -> str:
    """Return a probability in per cent, to a tenth, but 0 % and 100 % only where it is just that.

    >>> chance_text(0.123), chance_text(0.0002), chance_text(0.9999), chance_text(1)
    ('12.3%', '<0.1%', '>99.9%', '100.0%')
    """
    if 0 < probability < 0.001:
        return "<0.1%"
    return ">99.9%" if 0.999 < probability < 1 else f"{100 * probability:.1f}%"


def points_text(points: int, step: float | None = None, link: str = "identity") -> str:
    """Return points with their sign, or what so many steps add or multiply by; nothing for none."""
    return amount_text(points, step, link, "+") if points else ""


def amount_text(points: int, step: float | None, link: str, sign: str = "") -> str:
    """Return points, or the number that so many steps are; with a sign, what they add or multiply by.

    A number has all digits that the step has; e to the power of it so many that the next step looks different.

    >>> amount_text(5, None, "identity", "+"), amount_text(5, 0.5, "identity", "+"), amount_text(5, 0.05, "log", "+")
    ('+5', '+2.5', 'x 1.28')
    """
    if step is None:
        return f"{points:{sign},}"
    if link == "log":
        digits = max(3, 1 - math.floor(math.log10(step)))
        rounded = Decimal(f"{math.exp(step * points):.{digits - 1}e}")
        return f"{'x ' if sign else ''}{rounded:{',f' if 1e-9 <= rounded <= 1e12 else '.6g'}}"
    amount = Decimal(repr(step)).normalize() * points
    return f"{amount:{sign},f}" if 1e-9 <= step <= 1e12 else f"{amount:{sign}.6g}"


def list_points(network: RuleNetwork, rule: int) -> str:
    """Return what a rule of the last level adds, as one text: +5, or `a +1, c -2` for several classes."""
    return write_points(network, points_of(network).points[rule])


def write_points(network: RuleNetwork, points: Sequence[int]) -> str:
    """Return points of a rule as such a text."""
    head = points_of(network)
    if len(points) == 1:
        return amount_text(points[0], head.step, head.link, "+")
    return _join_points(output_names(network), points)


def _join_points(names: Sequence[str], points: Sequence[int]) -> str:
    return ", ".join(f"{name} {value:+,}" for name, value in zip(names, points, strict=True) if value)


def row_cells(rows: Sequence[float] | None) -> list[str]:
    """Return the number of rows by class as text, and the share of the second class; - where there are none."""
    total = sum(rows or ())
    return [f"{total:,.0f}", chance_text(rows[1] / total) if rows and len(rows) > 1 and total else "-"]


def _spread(lines: Sequence[CardLine]) -> int:
    """Return by how much the points of these lines differ at most, for the output where that is most."""
    outputs = range(len(lines[0].points))
    return max(
        max(0, *(line.points[k] for line in lines)) - min(0, *(line.points[k] for line in lines)) for k in outputs
    )


def _read_line(network: RuleNetwork, head: Points, rule: int) -> CardLine:
    level = len(network.levels) - 1
    literals = network.levels[level].rules[rule].literals
    text, column = rule_text(network, level, rule), ""
    names = {network.predicates[literal.index].column for literal in literals} if level == 0 else set()
    name = given_name(network, text)
    asked = find_column(network, *names) if len(names) == 1 else None
    if asked is not None and states_itself(asked):
        if isinstance(asked.derivation, Mention) and len(literals) == 1 and not literals[0].negated:
            column = word(asked.derivation.column)
            text = text.removeprefix(f"{column} ")
    elif asked is not None:
        column = column_word(asked)
        text = " and ".join(bin_text(network, each.literals, each.both) for each in conditions(network, 0, literals))
    covered = network.statistics.covered[level][rule] if network.statistics else None
    return CardLine(rule, column, text, name, head.points[rule], covered)


def bin_text(network: RuleNetwork, literals: tuple[Literal, ...], both: Predicate | None) -> str:
    """Return a condition without the name of its column."""
    first, predicate = literals[0], both or network.predicates[literals[0].index]
    column = find_column(network, predicate.column)
    predicate = state_flag(predicate, column)
    bounds = None if isinstance(predicate, Equals | Missing) else bound_texts(predicate, column)
    if isinstance(predicate, Missing):
        text = "missing"
    elif isinstance(predicate, Equals) and not first.negated:
        return category_word(column, predicate.value)
    elif bounds is None:
        return condition_text(network, 0, Condition(literals)).removeprefix(f"{column_word(column)} ")
    else:
        signs = zip(("> ", "<= "), bounds, strict=True)
        text = ", ".join(sign + bound for sign, bound in signs if bound is not None) or "present"
    return f"not {text}" if both is None and first.negated else text


def _bin_key(network: RuleNetwork, rule: int) -> tuple[object, ...]:
    """Return what sorts the bins of a column: by their bounds or categories, then missing values, then negations."""
    literals = network.levels[0].rules[rule].literals
    tests = [network.predicates[literal.index] for literal in literals if not literal.negated]
    column = find_column(network, network.predicates[literals[0].index].column)
    if isinstance(column.derivation, Mention):  # what a text mentions has no order but that of its points
        return 0, -max(points_of(network).points[rule], key=abs), 0, [], rule
    lows = [test.low for test in tests if isinstance(test, Interval)]
    highs = [test.high for test in tests if isinstance(test, Interval)]
    places = sorted(column.places.get(key_of(value), math.inf) for test in tests for value in categories_of(test))
    kind = 2 if len(tests) < len(literals) else 1 if any(isinstance(test, Missing) for test in tests) else 0
    return kind, max(lows, default=-math.inf), min(highs, default=math.inf), places, rule


def _read_bands(network: RuleNetwork, head: Points) -> Iterator[Band]:
    """Yield the probabilities of all scores that can be, in at most about ten bands; the cut-off begins one."""
    ((lowest, highest),) = head.bounds
    starts = [lowest, *(s for s, _ in head.probabilities if lowest < s <= highest)]
    starts = sorted({*starts, *([head.cutoff] if lowest < head.cutoff <= highest else [])})
    counted = dict(network.statistics.scores) if network.statistics else {}
    starts = _choose_starts(starts, counted, head.cutoff)
    least_scores, shares = zip(*head.probabilities, strict=True)

    def share(score: int) -> float:
        probability: float = shares[max(bisect_right(least_scores, score) - 1, 0)]
        return probability

    for number, start in enumerate(starts):
        last = number + 1 == len(starts)
        end = highest if last else starts[number + 1] - 1
        rows = [rows for score, rows in counted.items() if start <= score <= end]
        summed = tuple(map(sum, zip(*rows, strict=True))) if rows else (0.0,) * len(network.classes)
        yield Band(
            start if number else None, None if last else end, share(start), share(end), summed if counted else None
        )


def _choose_starts(starts: Sequence[int], counted: dict[int, tuple[float, ...]], cutoff: int) -> list[int]:
    """Return at most about ten of the scores that bands can start with, so that the bands have about as many rows."""
    if len(starts) <= _MOST_BANDS + 2:
        return list(starts)
    weights = [sum(sum(rows) for score, rows in counted.items() if low <= score < high) if counted else 1.0
               for low, high in zip(starts, [*starts[1:], math.inf], strict=True)]  # fmt: skip
    share, chosen, total = sum(weights) / _MOST_BANDS, [starts[0]], 0.0
    for start, weight in zip(starts, weights, strict=True):
        if start == cutoff or total >= share:
            chosen, total = [*chosen, start] if start != chosen[-1] else chosen, 0.0
        total += weight
    return chosen


def card_sentences(network: RuleNetwork) -> Iterator[str]:
    """Yield how large a scorecard is, how to read it, and how it answers."""
    head = points_of(network)
    yield from _class_sentences(network, head) if head.step is None else _number_sentences(network, head)


def gap_sentence(network: RuleNetwork) -> str:
    """Return which gaps add more or less than any value of the column, by the rules about it alone; empty if none do.

    A card should pay for them only if it is known why there is a gap.
    """
    seen = [column for column in network.columns if column.missing and len(network.levels) == 1]
    gaps = [text for column in seen for text in _find_gaps(network, points_of(network), column)]
    if not gaps:
        return ""
    listed = "; ".join(gaps)
    question = "Is it known, when you decide, why they are missing?"
    return f"Missing values that add more or less than any value: {listed}. {question}"


def _find_gaps(network: RuleNetwork, head: Points, column: Column) -> Iterator[str]:
    """Yield what a gap adds, and between what values of the column add, where that is less or more."""
    rules = [
        (points, [(network.predicates[each.index], each.negated) for each in rule.literals])
        for rule, points in zip(network.levels[0].rules, head.points, strict=True)
        if {network.predicates[each.index].column for each in rule.literals} == {column.name}
    ]
    tests = [test for _, pairs in rules for test, _ in pairs]
    values: list[Value] = [*finite_bounds(tests), math.inf] if column.ordered else list(column.categories)
    if column.kind == "boolean":
        values = [False, True]
    if not rules or not values:
        return

    def add_up(value: Value | None) -> list[int]:
        holding = [points for points, pairs in rules if all(holds(test, value) != negated for test, negated in pairs)]
        return [sum(points[output] for points in holding) for output in range(head.outputs)]

    sums = zip(*map(add_up, values), strict=True)
    for name, gap, known in zip(output_names(network), add_up(None), sums, strict=True):
        if not min(known) <= gap <= max(known):
            ends = dict.fromkeys((min(known), max(known)))
            texts = [amount_text(each, head.step, head.link, "+") if each else "0" for each in (gap, *ends)]
            owner = f" for {name}" if head.outputs > 1 else ""
            yield f"{column_word(column)} {texts[0]}{owner} (values {' to '.join(texts[1:])})"


def _class_sentences(network: RuleNetwork, head: Points) -> Iterator[str]:
    """Yield how large a card of classes is, how to read it, and how it answers."""
    if head.points:
        rules, size = plural(rule_count(network), "rule"), plural(edges(network), "edge")
        yield f"{rules}, {size}. The points of all lines that hold add up to the score."
    else:
        yield "There are no rules: all rows have the score of the base."
    if head.probabilities:
        ((lowest, highest),) = head.bounds
        if lowest < head.cutoff <= highest:
            yield f"{positive_text(network)} is the answer from a score of {head.cutoff} on."
        else:
            yield f"The answer is always {word(network.classes[head.cutoff <= lowest])}."
        return
    offsets = _join_points(output_names(network), head.offsets)
    after = f" after these offsets: {offsets}" if offsets else ""
    yield f"The answer is the class with the largest score{after}."
    yield f"The probabilities are the softmax of {head.unit:.4g} times the scores."


def _number_sentences(network: RuleNetwork, head: Points) -> Iterator[str]:
    """Yield how large a card that predicts a number is, how to read it, and between what it answers."""
    (name,), ((low, high),) = output_names(network), head.bounds
    if not head.points:
        yield f"There are no rules: {name} is {amount_text(low, head.step, head.link)} on all rows."
        return
    rules, size = plural(rule_count(network), "rule"), plural(edges(network), "edge")
    least, most, step = (amount_text(score, head.step, head.link) for score in (low, high, 1))
    if head.link == "log":
        yield f"{rules}, {size}. The base times the factors of all lines that hold is {name}; factors are powers of"
        yield f"exp({head.step}) = {step}. No row gets less than about {least} or more than about {most}."
        return
    yield f"{rules}, {size}. All lines that hold add up to {name}, in steps of {step}."
    yield f"No row gets less than {least} or more than {most}."


def positive_text(network: RuleNetwork) -> str:
    """Return what the score of two classes is for, as text: the second class, with the target if it has a name."""
    target = f"{word(network.target)} = " if network.target else ""
    return f"{target}{word(network.classes[1])}"


def card_text(network: RuleNetwork) -> str:
    """Return a scorecard as text: its size, the card, the probabilities by score, then the concepts that rules name."""
    card = read_card(network)
    parts = [" ".join(card.sentences), _lines_text(card)]
    if card.bands:
        parts.append(align_columns(band_lines(card)))
    gaps = wrap(gap_sentence(network), _WIDEST, break_long_words=False, break_on_hyphens=False)
    parts += ["\n".join(gaps)] if gaps else []
    return "\n\n".join([*parts, *concept_sections(network)])


def _lines_text(card: Card) -> str:
    left = max((len(group[0].column) for group in card.groups), default=0) + 2
    lines = [["", *card.headings], ["base", *card.line_cells(card.base)]]
    for group in card.groups:
        for number, line in enumerate(group):
            text = f"{line.column if number == 0 else '':<{left}}{line.text}" + (f" ({line.name})" if line.name else "")
            lines += _wrapped(text, left + 2, card.line_cells(line))
    if card.mixed:
        lines.append([""] * len(lines[0]))
    for line in card.mixed:
        lines += _wrapped(f"{line.name}: {line.text}" if line.name else line.text, 2, card.line_cells(line))
    return align_columns(lines)


def _wrapped(text: str, indent: int, cells: Sequence[str]) -> list[list[str]]:
    """Return a long text as several lines, of which the first one has the cells."""
    first, *more = wrap(text, _WIDEST, subsequent_indent=" " * indent, break_long_words=False, break_on_hyphens=False)
    return [[first, *cells], *([line, *[""] * len(cells)] for line in more)]


def band_lines(card: Card) -> list[list[str]]:
    """Return the probabilities by score as lines of cells; the first one is the heading."""
    heading = ["score", "chance", *(["rows", card.label] if card.counted else [])]
    return [
        heading,
        *([band.text, band.chance, *(row_cells(band.rows) if card.counted else [])] for band in card.bands),
    ]
