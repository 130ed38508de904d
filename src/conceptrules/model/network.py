"""A rule network as a frozen value: predicates, levels of rules and concepts, classes, and what decides among them."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from conceptrules.model.derived import list_sources, make_derived
from conceptrules.model.errors import InputError
from conceptrules.model.heads import Points, check_points
from conceptrules.model.predicate import (
    Column,
    Equals,
    Interval,
    Missing,
    OneOf,
    Predicate,
    Value,
    categories_of,
    key_of,
    one_of,
    python_value,
    run_of,
)
from conceptrules.model.provenance import Training
from conceptrules.model.reason_codes import ReasonCode, check_reason_codes
from conceptrules.model.shortcuts import Shortcuts

_ROUNDING = 1e-6  # of sums of weights, which depend on their order

if TYPE_CHECKING:
    from conceptrules.model.policy import Policy
    from conceptrules.model.provenance import Case, ProofRecord
    from conceptrules.model.trail import TrailEntry


@dataclass(frozen=True, slots=True, order=True)
class Literal:
    """A predicate (on the first level) or a concept of the level below, perhaps negated.


    Raises
    ------
    InputError
        If the index is not a whole number.

    Examples
    --------
    >>> ~Literal(3)
    Literal(index=3, negated=True)
    """

    index: int
    """The number of the predicate or of the concept, counted from 0."""
    negated: bool = False
    """Whether the literal holds where the predicate or the concept does not."""

    def __post_init__(self) -> None:
        if not isinstance(self.index, int):
            raise InputError(f"a literal refers to a predicate or concept by its number, not by {self.index!r}")

    def __invert__(self) -> Literal:
        return Literal(self.index, not self.negated)


@dataclass(frozen=True, slots=True)
class Rule:
    """An AND of literals. A rule without literals always holds.


    Raises
    ------
    InputError
        If something else than a literal is among them.
    """

    literals: tuple[Literal, ...] = ()
    """The literals; they are kept sorted and once each."""

    def __post_init__(self) -> None:
        wrong = [literal for literal in self.literals if not isinstance(literal, Literal)]
        if wrong:
            raise InputError(f"a rule is made of literals, not of {wrong[0]!r}; write Literal({wrong[0]!r})")
        object.__setattr__(self, "literals", tuple(sorted(set(self.literals))))


@dataclass(frozen=True, slots=True)
class Concept:
    """An OR of rules of its own level. A concept without rules never holds."""

    rules: tuple[int, ...] = ()
    """The numbers of the rules on the level, counted from 0; they are kept sorted and once each."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "rules", tuple(sorted(set(self.rules))))


@dataclass(frozen=True, slots=True)
class Level:
    """A layer of rules and the layer of concepts above it.


    Raises
    ------
    InputError
        If a concept refers to a rule that the level does not have.
    """

    rules: tuple[Rule, ...]
    """The rules. Their literals are on predicates on the first level, and on the concepts of the level below
    elsewhere."""
    concepts: tuple[Concept, ...]
    """The concepts. Those of the last level are the classes of the network; a scorecard has none there."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "rules", tuple(self.rules))
        object.__setattr__(self, "concepts", tuple(self.concepts))
        for number, concept in enumerate(self.concepts):
            _check_indices(concept.rules, len(self.rules), f"concept {number}", "rule")


@dataclass(frozen=True, slots=True)
class Cell:
    """The training rows whose value of a column the rules do not tell apart."""

    column: str
    """A column that some rule asks about."""
    holds: tuple[Predicate, ...]
    """The used predicates on the column that hold on these rows."""
    gap: bool
    """Whether the value is missing, or a category that the column does not list."""
    rows: float
    """The weight of the rows."""


@dataclass(frozen=True, slots=True)
class Statistics:
    """What a network covers and decides of the training rows: the text, the probabilities and the report show it.

    All counts are the weights of rows for each class, in the order of the network's classes. A rule *covers* the rows
    on which it holds, and *decides* those of them that are answered with its class.
    """

    rows: tuple[float, ...]
    """All training rows."""
    covered: tuple[tuple[tuple[float, ...], ...], ...]
    """The rows on which each rule holds: `covered[level][rule]`."""
    patterns: tuple[tuple[tuple[bool, ...], tuple[float, ...]], ...] = ()
    """Which classes fire, and the rows on which just these fire; sorted. Empty for scorecards."""
    decided: tuple[tuple[tuple[float, ...], ...], ...] = ()
    """The rows that each rule of a class decides: `decided[class][place]`, where the place is that of the rule in the
    concept of the class. Empty where they were not counted."""
    optimism: tuple[tuple[float, ...], ...] = ()
    """By how much the share of each class is larger on training rows than on others, for each class that is answered:
    `optimism[answer][class]`. Probabilities are lowered by it, counts never are. Empty: by nothing."""
    scores: tuple[tuple[int, tuple[float, ...]], ...] = ()
    """The scores of a scorecard of two classes, ascending, and the rows that have each. Of a number, the largest scores
    of some twenty groups of rows, and the rows of each group. Otherwise empty."""
    answered: tuple[float, ...] = ()
    """The rows that are answered with each class, of a scorecard of several classes; otherwise empty, since patterns or
    scores say it."""
    cells: tuple[Cell, ...] = ()
    """The rows by what the used predicates say of each column; empty where they were not counted."""


@dataclass(frozen=True, slots=True)
class RuleNetwork(Shortcuts):
    """A concept rule set: predicates, levels of rules and concepts, and classes.

    A network is a frozen value: it is never changed, only replaced. `print` shows it as text, a notebook as a picture.

    Parameters
    ----------
    columns : tuple of Column
        The columns of the table, as training saw them.
    predicates : tuple of Predicate
        The tests that the rules of the first level are made of.
    levels : tuple of Level
        The levels, from the predicates up. The concepts of the last one are the classes, in their order; that of a
        scorecard has rules and no concepts.
    classes : tuple of class labels
        The classes: text, numbers or booleans; none where the network predicts a number.
    priority : tuple of class labels, optional
        All classes in the order in which they are answered when several fire; by default the order of `classes`.
    default : class label, optional
        The class that is answered when none fires; by default the first class.
    statistics : Statistics, optional
        What the rules cover of the training rows.
    training : Training, optional
        How the network was learned.
    target : str, optional
        The name of the column that the network predicts.
    policy : Policy, optional
        What the network is to satisfy.
    proof : ProofRecord, optional
        What was proved of it.
    trail : tuple of TrailEntry, default=()
        How it was edited.
    names : tuple of (str, str), default=()
        What people call a rule (by its words) or a concept (by `C1.2`): pairs of the two.
    head : Points, optional
        The points of the rules of the last level, for a scorecard: then these decide instead of priority and default.
        With a step, they predict a number.
    reason_codes : tuple of ReasonCode, default=()
        What people call a column where it is a reason; see `with_reason_codes`.
    cases : tuple of Case, default=()
        Test cases: rows with the answers that people expect.

    Raises
    ------
    InputError
        If the parts do not fit together.

    Examples
    --------
    >>> level = Level([Rule([Literal(0)])], [Concept([0]), Concept()])
    >>> network = RuleNetwork([Column("age")], [Interval("age", 41)], [level], ["old", "young"], default="young")
    >>> print(network)
    1 rule, 2 edges.
    <BLANKLINE>
    old if
      R1.1: age > 41
    <BLANKLINE>
    young for everything else
    >>> network.predict([{"age": 50}, {"age": 20}]).tolist()
    ['old', 'young']
    """

    columns: tuple[Column, ...]
    predicates: tuple[Predicate, ...]
    levels: tuple[Level, ...]
    classes: tuple[Value, ...]
    priority: tuple[Value, ...] = ()
    default: Value = None  # type: ignore[assignment]  # filled in below
    statistics: Statistics | None = field(default=None, compare=False, repr=False)
    training: Training | None = field(default=None, compare=False, repr=False)
    target: str | None = field(default=None, compare=False, repr=False)
    policy: Policy | None = field(default=None, compare=False, repr=False)
    proof: ProofRecord | None = field(default=None, compare=False, repr=False)
    trail: tuple[TrailEntry, ...] = field(default=(), compare=False, repr=False)
    names: tuple[tuple[str, str], ...] = field(default=(), compare=False, repr=False)
    head: Points | None = None
    reason_codes: tuple[ReasonCode, ...] = field(default=(), compare=False, repr=False)
    cases: tuple[Case, ...] = field(default=(), compare=False, repr=False)

    def __post_init__(self) -> None:
        for name in ("columns", "predicates", "levels"):
            object.__setattr__(self, name, tuple(getattr(self, name)))
        object.__setattr__(self, "classes", tuple(map(python_value, self.classes)))
        check_columns(self.columns, self.predicates)
        check_reason_codes(self.reason_codes, self.columns)
        if self.head is None:
            self._complete_decision()
        else:
            self._check_scorecard(self.head)
        if self.statistics is not None:
            _check_statistics(self.statistics, self.levels, len(self.classes) or 1)
            unknown = {test for cell in self.statistics.cells for test in cell.holds} - set(self.predicates)
            if unknown:
                raise InputError(f"statistics.cells have {next(iter(unknown))!r}, which is not among the predicates")

    def _complete_decision(self) -> None:
        """Fill priority and default in where they were left out, and check them and the classes."""
        object.__setattr__(self, "priority", tuple(map(python_value, self.priority)) or self.classes)
        if self.classes:
            object.__setattr__(self, "default", self.classes[0] if self.default is None else python_value(self.default))
        _check_classes(self.classes, self.priority, self.default)
        _check_levels(self.levels, len(self.predicates), len(self.classes))

    def _check_scorecard(self, head: Points) -> None:
        if self.priority or self.default is not None:
            raise InputError("a scorecard has no priority and no default: its points decide; leave both out")
        if head.step is None:
            _check_classes(self.classes, self.classes, next(iter(self.classes), None))
        _check_levels(self.levels, len(self.predicates), None)
        check_points(head, len(self.levels[-1].rules), len(self.classes))

    @property
    def edges(self) -> int:
        """The paper's measure of complexity: literals in rules plus rules in concepts, on all levels.

        In a scorecard, each pair of a rule and an output that has points counts as a rule in a concept does.
        """
        from conceptrules.model.statistics import edges

        return edges(self)

    @property
    def own_columns(self) -> tuple[Column, ...]:
        """The columns that a table has to have: those that are not worked out from others."""
        return tuple(column for column in self.columns if column.derivation is None)

    @property
    def asked_columns(self) -> tuple[Column, ...]:
        """The columns of the table that some rule asks about, itself or as a part of what is worked out."""
        derivations = [column.derivation for column in self.asked_derived if column.derivation]
        names = {*self.used_columns, *(name for derivation in derivations for name in derivation.columns)}
        return tuple(column for column in self.own_columns if column.name in names)

    @property
    def asked_derived(self) -> tuple[Column, ...]:
        """The columns that are worked out from others, and that some rule asks about."""
        used = self.used_columns
        return tuple(column for column in self.columns if column.derivation is not None and column.name in used)

    @property
    def used_predicates(self) -> tuple[int, ...]:
        """The indices of the predicates that some rule asks about, ascending."""
        return tuple(sorted({literal.index for rule in self.levels[0].rules for literal in rule.literals}))

    @property
    def used_columns(self) -> dict[str, tuple[int, ...]]:
        """The columns that some rule asks about, in their order, each with the indices of its used predicates."""
        used: dict[str, list[int]] = {column.name: [] for column in self.columns}
        for index in self.used_predicates:
            used[self.predicates[index].column].append(index)
        return {name: tuple(indices) for name, indices in used.items() if indices}

    @property
    def priority_indices(self) -> tuple[int, ...]:
        """The priority as indices of classes."""
        places = {name: index for index, name in enumerate(self.classes)}
        return tuple(places[name] for name in self.priority)

    @property
    def default_index(self) -> int:
        """The index of the default class."""
        return self.classes.index(self.default)

    def __str__(self) -> str:
        from conceptrules.model.text import network_text

        return network_text(self)


def _check_indices(indices: Sequence[int], size: int, owner: str, target: str) -> None:
    for index in indices:
        if not 0 <= index < size:
            known = f"there are only 0 to {size - 1}" if size else "there is none"
            raise InputError(f"{owner} refers to {target} {index}, but {known}")


def check_columns(columns: Sequence[Column], predicates: Sequence[Predicate]) -> None:
    """Raise an `InputError` unless each predicate fits a column, and the names of columns differ."""
    repeated = [name for name, count in Counter(column.name for column in columns).items() if count > 1]
    if repeated:
        raise InputError(f"column {repeated[0]!r} is listed twice; names must differ")
    kinds = {column.name: column for column in columns}
    _check_derivations(columns)
    for number, predicate in enumerate(predicates):
        column = kinds.get(predicate.column)
        if column is None:
            raise InputError(f"predicate {number} tests column {predicate.column!r}, which is not among the columns")
        if column.kind == "text":
            raise InputError(f"predicate {number} tests the text {column.name!r}; test whether it mentions a word")
        sets = Equals if column.derivation else Equals | OneOf
        if not isinstance(predicate, (Interval if column.ordered else sets) | Missing):
            raise InputError(
                f"predicate {number} is of the type {type(predicate).__name__}, "
                f"which does not go with column {column.name!r} of the kind {column.kind}"
            )
        if run_of(predicate, column) is None:
            _check_named(number, column, predicate)


def _check_derivations(columns: Sequence[Column]) -> None:
    """Check that what derived columns are worked out from comes before them, and is of a kind that suits them."""
    known: dict[str, Column] = {}
    for column in columns:
        if column.derivation is None:
            known[column.name] = column
            continue
        unknown = [name for name in column.derivation.columns if name not in known]
        if unknown:
            raise InputError(f"{column.name} needs column {unknown[0]!r} before it among the columns")
        made = make_derived(column.derivation, list_sources(column.derivation, known.values()))
        if made.kind != column.kind or made.categories != column.categories:
            raise InputError(f"{column.name} is of the kind {made.kind}, not {column.kind}")


def _check_named(number: int, column: Column, predicate: Predicate) -> None:
    """Check the categories of a predicate: an ordinal column lists them all, and sets have them in its order."""
    categories, unknown = categories_of(predicate), len(column.places)
    order = [column.places.get(key_of(value), unknown) for value in categories]
    if column.kind == "ordinal" and unknown in order:
        raise InputError(
            f"predicate {number} asks for {categories[order.index(unknown)]!r}, which has no place in the order of "
            f"column {column.name!r}; there are {', '.join(map(repr, column.categories)) or 'none'}"
        )
    if order != sorted(order):
        raise InputError(
            f"predicate {number} lists {list(categories)}, which is not the order of column {column.name!r}; "
            f"write OneOf({column.name!r}, {one_of(column, categories).values!r})"
        )


def _check_classes(classes: Sequence[Value], priority: Sequence[Value], default: Value | None) -> None:
    if not classes:
        raise InputError("a network needs at least one class")
    if len(set(classes)) < len(classes):
        raise InputError(f"classes must differ, got {list(classes)}")
    if len(priority) != len(classes) or set(priority) != set(classes):
        raise InputError(f"priority must list each class once: classes {list(classes)}, priority {list(priority)}")
    if default not in classes:
        raise InputError(f"default class {default!r} is not one of the classes {list(classes)}")


def _check_levels(levels: Sequence[Level], predicates: int, classes: int | None) -> None:
    """Check that levels fit on one another, and the last one to the classes; None: it has to have no concepts."""
    if not levels:
        raise InputError("a network needs at least one level")
    below, target = predicates, "predicate"
    for depth, level in enumerate(levels, start=1):
        for number, rule in enumerate(level.rules):
            _check_indices(
                [literal.index for literal in rule.literals], below, f"rule {number} of level {depth}", target
            )
        below, target = len(level.concepts), "concept"
    if classes is None and below:
        raise InputError("the last level of a scorecard has no concepts: its rules have points instead")
    if classes is not None and below != classes:
        raise InputError(f"the last level needs one concept for each of the {classes} classes, it has {below}")


def _check_statistics(statistics: Statistics, levels: Sequence[Level], classes: int) -> None:
    shape = [len(level.rules) for level in levels]
    counted = [len(rules) for rules in statistics.covered]
    if counted != shape:
        raise InputError(f"statistics are for {counted} rules by level, the network has {shape}")
    scores = [score for score, _ in statistics.scores]
    if scores != sorted(set(scores)):
        raise InputError("statistics.scores must be ascending")
    owned = [len(concept.rules) for concept in levels[-1].concepts]
    if statistics.decided and [len(rules) for rules in statistics.decided] != owned:
        raise InputError(f"statistics.decided must be for {owned} rules by class")
    if statistics.optimism and len(statistics.optimism) != classes:
        raise InputError(f"statistics.optimism must be for {classes} answers")
    if any(not -1 <= share <= 1 for row in statistics.optimism for share in row):
        raise InputError("statistics.optimism is a difference of shares, from -1 to 1")
    counts = [statistics.rows, *(row for rules in statistics.covered for row in rules)]
    counts += [row for rules in statistics.decided for row in rules] + [row for _, row in statistics.patterns]
    counts += [row for _, row in statistics.scores]
    shares = [*statistics.optimism, *(fired for fired, _ in statistics.patterns)]
    counts += [statistics.answered] if statistics.answered else []
    if any(len(row) != classes for row in [*counts, *shares]):
        raise InputError(f"statistics must have one figure for each of the {classes} classes")
    counts.append(tuple(cell.rows for cell in statistics.cells))
    if any(not 0 <= weight < math.inf for row in counts for weight in row):
        raise InputError("statistics are weights of rows; they need to be finite and at least 0")
    if not sum(statistics.rows) > 0:
        raise InputError("statistics need at least one training row of a positive, finite weight")
    _check_sums(statistics, levels)


def _check_sums(statistics: Statistics, levels: Sequence[Level]) -> None:
    """Require counts that do not contradict each other; sums of weights may be rounded."""
    parts = [("a rule covers", covered, statistics.rows) for rules in statistics.covered for covered in rules]
    for concept, rules in zip(levels[-1].concepts, statistics.decided, strict=False):
        covered = [statistics.covered[-1][rule] for rule in concept.rules]
        parts += [("a rule decides", *pair) for pair in zip(rules, covered, strict=True)]
    for verb, part, whole in parts:
        for rows, most in zip(part, whole, strict=True):
            if rows > most * (1 + _ROUNDING):
                raise InputError(f"statistics contradict each other: {verb} {rows:,g} of {most:,g} rows of a class")
    for name, kinds in (("patterns", statistics.patterns), ("scores", statistics.scores)):
        for rows, most in zip(map(sum, zip(*(rows for _, rows in kinds), strict=True)), statistics.rows, strict=False):
            if not math.isclose(rows, most, rel_tol=_ROUNDING):
                raise InputError(f"statistics contradict each other: {name} of {rows:,g} of {most:,g} rows of a class")
    by_column: dict[str, list[float]] = {}
    for cell in statistics.cells:
        by_column.setdefault(cell.column, []).append(cell.rows)
    total = sum(statistics.rows)
    for column, weights in by_column.items():
        if not math.isclose(rows := sum(weights), total, rel_tol=_ROUNDING):
            raise InputError(f"statistics contradict each other: {rows:,g} of {total:,g} rows in cells of {column!r}")
