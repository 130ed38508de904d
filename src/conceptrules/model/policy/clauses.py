"""The clauses of a policy: small frozen values, each with a name and a sentence that says what it asks for."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal as Choice
from typing import get_args

from conceptrules.model.errors import InputError
from conceptrules.model.predicate import Value
from conceptrules.model.text import number_text, word

Direction = Choice["up", "down"]
Gaps = Choice["incomparable", "lowest"]
Mode = Choice["keep", "decides"]
Size = Choice["edges", "rules", "literals"]
Measure = Choice["positive_rate", "true_positive_rate", "selection_ratio"]


@dataclass(frozen=True, slots=True)
class Clause:
    """One thing that a policy asks for."""

    @property
    def name(self) -> str:
        """Where the clause stands in a policy file: `monotone.age`."""
        raise NotImplementedError

    @property
    def text(self) -> str:
        """What the clause asks for, in words."""
        raise NotImplementedError


@dataclass(frozen=True, slots=True)
class Monotone(Clause):
    """As a column rises and all others stay, the decision never gets worse ("up"), or never better ("down").

    Parameters
    ----------
    column : str
        A number, date, date-time, duration, ordinal or boolean column.
    direction : {"up", "down"}
        Where the decision goes as the column rises.
    order : tuple of class labels, default=()
        The classes from the worst to the best; by default the order of the policy, or else of the network's classes.
    missing : {"incomparable", "lowest"}, default="incomparable"
        Whether a missing value counts as lower than all others, or is compared with none.
    """

    column: str
    direction: Direction
    order: tuple[Value, ...] = ()
    missing: Gaps = "incomparable"

    def __post_init__(self) -> None:
        object.__setattr__(self, "order", tuple(self.order))
        _choice(self, "direction", self.direction, Direction)
        _choice(self, "missing", self.missing, Gaps)
        check_order(self.name, self.order)

    @property
    def name(self) -> str:
        return f"monotone.{self.column}"

    @property
    def text(self) -> str:
        never = "gets worse" if self.direction == "up" else "gets better"
        order = f" ({' < '.join(map(word, self.order))})" if self.order else ""
        gaps = ", where a missing value is the lowest" if self.missing == "lowest" else ""
        return f"as {word(self.column)} rises, the decision never {never}{order}{gaps}"


@dataclass(frozen=True, slots=True)
class Independent(Clause):
    """The decision is the same whatever a column holds.

    Parameters
    ----------
    column : str
        The column.
    """

    column: str

    @property
    def name(self) -> str:
        return f"independent.{self.column}"

    @property
    def text(self) -> str:
        return f"the decision does not depend on {word(self.column)}"


@dataclass(frozen=True, slots=True)
class Forbidden(Clause):
    """No rule asks about a column.

    Parameters
    ----------
    column : str
        The column.
    """

    column: str

    @property
    def name(self) -> str:
        return f"forbidden.{self.column}"

    @property
    def text(self) -> str:
        return f"no rule asks about {word(self.column)}"


@dataclass(frozen=True, slots=True)
class Apart(Clause):
    """Two columns never meet in a rule.

    Parameters
    ----------
    first, second : str
        The columns.
    """

    first: str
    second: str

    def __post_init__(self) -> None:
        if self.first == self.second:
            raise InputError(f"{self.name}: a column always meets itself; name two columns, or forbid it")

    @property
    def name(self) -> str:
        return f"apart.{self.first}.{self.second}"

    @property
    def text(self) -> str:
        return f"no rule asks about both {word(self.first)} and {word(self.second)}"


@dataclass(frozen=True, slots=True)
class OnlyFor(Clause):
    """Only the rules of some classes ask about a column.

    Parameters
    ----------
    column : str
        The column.
    classes : tuple of class labels
        The classes.
    """

    column: str
    classes: tuple[Value, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "classes", tuple(self.classes))
        if not self.classes:
            raise InputError(f"{self.name}: no class is named; name some, or forbid the column")

    @property
    def name(self) -> str:
        return f"only_for.{self.column}"

    @property
    def text(self) -> str:
        return f"only the rules of {' and '.join(map(word, self.classes))} ask about {word(self.column)}"


@dataclass(frozen=True, slots=True)
class Cost(Clause):
    """A literal on a column counts more, or less, than one edge while learning. There is nothing to prove.

    Parameters
    ----------
    column : str
        The column.
    cost : float
        What an edge penalty is multiplied by; 1 changes nothing.
    """

    column: str
    cost: float

    def __post_init__(self) -> None:
        _within(self, "cost", self.cost, 0, math.inf)

    @property
    def name(self) -> str:
        return f"cost.{self.column}"

    @property
    def text(self) -> str:
        return f"a literal on {word(self.column)} costs {number_text(float(self.cost))}"


@dataclass(frozen=True, slots=True)
class Locked(Clause):
    """A rule is there word for word; where it holds, its class may even have to be the answer.

    Parameters
    ----------
    rule : str
        The rule in words, as a network prints it.
    label : class label
        The class of the rule.
    mode : {"keep", "decides"}, default="keep"
        Whether the rule is one of its class, or decides as well: where it holds, its class is answered.
    """

    rule: str
    label: Value
    mode: Mode = "keep"

    def __post_init__(self) -> None:
        _choice(self, "mode", self.mode, Mode)

    @property
    def name(self) -> str:
        return f"locked.{self.rule}"

    @property
    def text(self) -> str:
        decides = f"; where it holds, {word(self.label)} is answered" if self.mode == "decides" else ""
        return f"{word(self.label)} has the rule: {self.rule}{decides}"


@dataclass(frozen=True, slots=True)
class Banned(Clause):
    """No rule of a class holds only where this rule does: what was dropped as no reason does not come back.

    Parameters
    ----------
    rule : str
        The rule in words: a region of rows.
    label : class label
        The class.
    """

    rule: str
    label: Value

    @property
    def name(self) -> str:
        return f"banned.{self.label}.{self.rule}"

    @property
    def text(self) -> str:
        return f"no rule of {word(self.label)} lies inside: {self.rule}"


@dataclass(frozen=True, slots=True)
class Default(Clause):
    """The class that is answered where no rule holds.

    Parameters
    ----------
    label : class label
        The class.
    """

    label: Value

    @property
    def name(self) -> str:
        return "default"

    @property
    def text(self) -> str:
        return f"{word(self.label)} is answered where no rule holds"


@dataclass(frozen=True, slots=True)
class Priority(Clause):
    """The order in which classes are answered where several fire.

    Parameters
    ----------
    classes : tuple of class labels
        All classes, the one that wins first.
    """

    classes: tuple[Value, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "classes", tuple(self.classes))
        check_order(self.name, self.classes)

    @property
    def name(self) -> str:
        return "priority"

    @property
    def text(self) -> str:
        return f"where several classes fire, the first of these wins: {', '.join(map(word, self.classes))}"


@dataclass(frozen=True, slots=True)
class Limit(Clause):
    """The most edges or rules of the network, or literals of each rule.

    Parameters
    ----------
    of : {"edges", "rules", "literals"}
        What is limited.
    most : int
        The limit.
    """

    of: Size
    most: int

    def __post_init__(self) -> None:
        _choice(self, "of", self.of, Size)
        if isinstance(self.most, bool) or not isinstance(self.most, int) or self.most < 0:
            raise InputError(f"{self.name} must be a whole number from 0 up, found {self.most!r}")

    @property
    def name(self) -> str:
        return f"max_{self.of}"

    @property
    def text(self) -> str:
        return f"at most {self.most} {self.of}" + (" in each rule" if self.of == "literals" else "")


@dataclass(frozen=True, slots=True)
class LeastRows(Clause):
    """Every rule covers at least so many rows.

    Parameters
    ----------
    rows : float
        The least weight of the rows on which a rule holds.
    """

    rows: float

    def __post_init__(self) -> None:
        _within(self, "rows", self.rows, 0, math.inf)

    @property
    def name(self) -> str:
        return "min_rows"

    @property
    def text(self) -> str:
        return f"every rule covers at least {number_text(float(self.rows))} rows"


@dataclass(frozen=True, slots=True)
class LeastPrecision(Clause):
    """Of the rows that a rule covers, at least this share is of its class.

    Parameters
    ----------
    precision : float
        The least share, from 0 to 1.
    confidence : float, optional
        If given, the lower end of the one-sided Wilson interval of this confidence has to reach the share.
    """

    precision: float
    confidence: float | None = None

    def __post_init__(self) -> None:
        _within(self, "precision", self.precision, 0, 1)
        if self.confidence is not None:
            _within(self, "confidence", self.confidence, 0.5, 0.999999)

    @property
    def name(self) -> str:
        return "min_precision"

    @property
    def text(self) -> str:
        sure = "" if self.confidence is None else f", with a confidence of {self.confidence:g}"
        return f"at least {self.precision:g} of the rows of every rule are of its class{sure}"


@dataclass(frozen=True, slots=True)
class Fair(Clause):
    """A bound on how differently groups of a column are treated, on given rows.

    Parameters
    ----------
    column : str
        The column of the groups; it need not be one that the network uses.
    positive : class label
        The class that is an advantage.
    bound : float
        The largest difference of rates, or the least ratio of them, from 0 to 1.
    measure : {"positive_rate", "true_positive_rate", "selection_ratio"}, default="positive_rate"
        The difference of the shares that get the class; the same among the rows that are of it; or the smallest share
        divided by the largest.
    """

    column: str
    positive: Value
    bound: float
    measure: Measure = "positive_rate"

    def __post_init__(self) -> None:
        _choice(self, "measure", self.measure, Measure)
        _within(self, "bound", self.bound, 0, 1)

    @property
    def name(self) -> str:
        return f"fair.{self.column}.{self.measure}"

    @property
    def text(self) -> str:
        groups = f"of {word(self.positive)} between groups of {word(self.column)}"
        if self.measure == "selection_ratio":
            return f"the ratio of the rates {groups} is at least {self.bound:g}"
        rates = "true positive rates" if self.measure == "true_positive_rate" else "positive rates"
        return f"the {rates} {groups} differ by at most {self.bound:g}"


@dataclass(frozen=True, slots=True)
class Implies(Clause):
    """Where a rule holds, a class is answered.

    Parameters
    ----------
    rule : str
        The rule in words; it need not be one of the network.
    label : class label
        The class.
    """

    rule: str
    label: Value

    @property
    def name(self) -> str:
        return f"implies.{self.rule}"

    @property
    def text(self) -> str:
        return f"if {self.rule}, then {word(self.label)}"


def check_order(name: str, classes: tuple[Value, ...]) -> None:
    """Raise an `InputError` if an order of classes comes back to one of them."""
    for place, label in enumerate(classes):
        if label in classes[:place]:
            way = " < ".join(map(word, classes[classes.index(label) : place + 1]))
            raise InputError(f"{name}: the order of the classes goes in a circle, {way}; name each class once")


def _choice(clause: Clause, key: str, found: object, choices: object) -> None:
    known = get_args(choices)
    if found not in known:
        raise InputError(f"{clause.name}: {key} must be {' or '.join(map(repr, known))}, found {found!r}")


def _within(clause: Clause, key: str, found: object, low: float, high: float) -> None:
    number = isinstance(found, int | float) and not isinstance(found, bool)
    if not number or not low <= found <= high or math.isinf(found):  # type: ignore[operator,arg-type]
        span = f"from {low:g} to {high:g}" if high < math.inf else f"from {low:g} up"
        raise InputError(f"{clause.name}: {key} must be a number {span}, found {found!r}")
