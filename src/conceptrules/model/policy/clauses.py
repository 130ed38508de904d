"""The clauses of a policy: small frozen values, each with a name and a sentence that says what it asks for."""

from __future__ import annotations

import math
import sys
from collections.abc import Mapping
from dataclasses import dataclass, fields
from types import MappingProxyType
from typing import ClassVar, get_args
from typing import Literal as Choice

from conceptrules.model.errors import InputError
from conceptrules.model.predicate import Value
from conceptrules.model.text import number_text, word

Direction = Choice["up", "down"]
Gaps = Choice["incomparable", "lowest"]
Mode = Choice["keep", "decides"]
Size = Choice["edges", "rules", "literals"]
Measure = Choice["positive_rate", "true_positive_rate", "selection_ratio"]
Shape = Choice["value", "list", "by column", "tables"]
LABELS = "tuple[Value, ...]"  # the annotation of fields that hold several classes
LABEL = ("Value", "Value | None")  # those of fields that hold one
_CHOICES = {"Direction": Direction, "Gaps": Gaps, "Mode": Mode, "Size": Size, "Measure": Measure}


@dataclass(frozen=True, slots=True)
class Clause:
    """One thing that a policy asks for."""

    # A kind of clause says as keywords of its class where it stands in a policy file and what its fields may hold: this
    # class names and checks all of them, `plain` reads and writes them. The annotation of a field says what it is:
    # `str` is the name of a column or a rule in words, `Value` is a class.
    key: ClassVar[str]
    shape: ClassVar[Shape]  # what stands under the key: one value, a list, a table by column, or a list of tables
    named_by: ClassVar[tuple[str, ...]]  # the fields that make the name unique
    ranges: ClassVar[Mapping[str, tuple[float, float]]]  # the least and the greatest number of fields
    aliases: ClassVar[Mapping[str, str]]  # fields that a file calls something else
    template: ClassVar[str] = ""  # what it asks for, in words around the names of its fields

    def __init_subclass__(
        cls,
        key: str = "",
        shape: Shape = "value",
        named_by: tuple[str, ...] = (),
        ranges: Mapping[str, tuple[float, float]] = MappingProxyType({}),
        aliases: Mapping[str, str] = MappingProxyType({}),
    ) -> None:
        if key:  # a dataclass with slots is made twice, the second time without keywords
            cls.key, cls.shape, cls.named_by, cls.ranges, cls.aliases = key, shape, named_by, ranges, aliases

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if field.type == LABELS:
                object.__setattr__(self, field.name, tuple(value))
            if field.type in _CHOICES and value not in (known := get_args(_CHOICES[field.type])):
                self._refuse(f"{field.name} must be {' or '.join(map(repr, known))}, found {value!r}")
            if field.name in self.ranges and value is not None:
                self._check_range(field.name, value)
        self._check()

    def _check(self) -> None:
        """Refuse what the fields cannot be together."""

    def _check_range(self, field: str, value: object) -> None:
        low, high = self.ranges[field]
        number = isinstance(value, int | float) and not isinstance(value, bool)
        if not number or not low <= value <= min(high, sys.float_info.max):  # type: ignore[operator]
            span = f"from {low:g} to {high:g}" if high < math.inf else f"from {low:g} up"
            self._refuse(f"{field} must be a number {span}, found {value!r}")

    def _refuse(self, message: str) -> None:
        raise InputError(f"{self.name}: {message}")

    @property
    def name(self) -> str:
        """Where the clause stands in a policy file: `monotone.age`."""
        return ".".join([self.key, *(str(getattr(self, field)) for field in self.named_by)])

    @property
    def text(self) -> str:
        """What the clause asks for, in words."""
        words = {}
        for field in fields(self):
            value = getattr(self, field.name)
            words[field.name] = number_text(float(value)) if field.type == "float" else word(value)
            if field.name == "rule":  # it is in words already
                words[field.name] = value
        return self.template.format(**words)


@dataclass(frozen=True, slots=True)
class Monotone(Clause, key="monotone", shape="by column", named_by=("column",)):
    """As a column rises and all others stay, the decision never gets worse ("up"), or never better ("down").

    Of a scorecard, it asks the same of the scores and the probabilities, and of a predicted number.
    """

    column: str
    """A number, date, date-time, duration, ordinal or boolean column."""
    direction: Direction
    """Where the decision goes as the column rises: "up" or "down"."""
    order: tuple[Value, ...] = ()
    """The classes from the worst to the best; of two classes, the better one is enough. It is by default the order of
    the policy, and has to be in one of the two before anything can be proved: no order follows from the names."""
    missing: Gaps = "incomparable"
    """Whether a missing value counts as lower than all others ("lowest"), or is compared with none."""

    def _check(self) -> None:
        check_order(self.name, self.order)

    @property
    def text(self) -> str:
        never = "gets worse" if self.direction == "up" else "gets better"
        order = f" ({' < '.join(map(word, self.order))})" if self.order else ""
        order = f" ({word(self.order[0])} is better)" if len(self.order) == 1 else order
        gaps = ", where a missing value is the lowest" if self.missing == "lowest" else ""
        return f"as {word(self.column)} rises, the decision never {never}{order}{gaps}"


@dataclass(frozen=True, slots=True)
class Independent(Clause, key="independent", shape="list", named_by=("column",)):
    """The decision is the same whatever a column holds."""

    template = "the decision does not depend on {column}"
    column: str
    """The column."""


@dataclass(frozen=True, slots=True)
class Forbidden(Clause, key="forbidden", shape="list", named_by=("column",)):
    """No rule asks about a column."""

    template = "no rule asks about {column}"
    column: str
    """The column."""


@dataclass(frozen=True, slots=True)
class Apart(Clause, key="apart", shape="list", named_by=("first", "second")):
    """Two columns never meet in a rule."""

    template = "no rule asks about both {first} and {second}"
    first: str
    """One column."""
    second: str
    """The other column."""

    def _check(self) -> None:
        if self.first == self.second:
            self._refuse("a column always meets itself; name two columns, or forbid it")


@dataclass(frozen=True, slots=True)
class OnlyFor(Clause, key="only_for", shape="by column", named_by=("column",)):
    """Only the rules of some classes ask about a column."""

    column: str
    """The column."""
    classes: tuple[Value, ...]
    """The classes."""

    def _check(self) -> None:
        if not self.classes:
            self._refuse("no class is named; name some, or forbid the column")

    @property
    def text(self) -> str:
        return f"only the rules of {' and '.join(map(word, self.classes))} ask about {word(self.column)}"


@dataclass(frozen=True, slots=True)
class Cost(Clause, key="cost", shape="by column", named_by=("column",), ranges={"cost": (0, math.inf)}):
    """A literal on a column counts more, or less, than one edge while learning. There is nothing to prove."""

    template = "a literal on {column} costs {cost}"
    column: str
    """The column."""
    cost: float
    """What an edge penalty is multiplied by; 1 changes nothing."""


@dataclass(frozen=True, slots=True)
class Locked(Clause, key="locked", shape="tables", named_by=("rule",), aliases={"label": "class"}):
    """A rule is there word for word; where it holds, its class may even have to be the answer."""

    rule: str
    """The rule in words, as a network prints it."""
    label: Value | None = None
    """The class of the rule; of a scorecard, where it is given, the rule has points in favour of it."""
    mode: Mode = "keep"
    """Whether the rule is one of its class ("keep"), or where it holds, its class is answered as well ("decides")."""
    points: tuple[int, ...] = ()
    """Of a scorecard, the points that the rule has for each output; of one output, a number will do."""

    def _check(self) -> None:
        points = self.points if isinstance(self.points, tuple | list) else [self.points]
        if not all(isinstance(value, int) and not isinstance(value, bool) for value in points):
            self._refuse(f"points must be whole numbers, found {self.points!r}")
        object.__setattr__(self, "points", tuple(points))
        if points and not any(points):
            self._refuse("a rule without points adds nothing; give it points, or take the clause out")

    @property
    def text(self) -> str:
        decides = f"; where it holds, {word(self.label)} is answered" if self.mode == "decides" else ""
        owner = "the card" if self.label is None else word(self.label)
        points = f", with {' and '.join(f'{value:+,}' for value in self.points)} points" if self.points else ""
        return f"{owner} has the rule: {self.rule}{points}{decides}"


@dataclass(frozen=True, slots=True)
class Banned(Clause, key="banned", shape="tables", aliases={"label": "class"}):
    """No rule of a class holds only where this rule does: a rule that was dropped does not come back."""

    rule: str
    """The rule in words: a region of rows."""
    label: Value | None = None
    """The class; of a scorecard, none stands for rules with any points."""

    @property
    def name(self) -> str:
        return ".".join([self.key, *([] if self.label is None else [str(self.label)]), self.rule])

    @property
    def text(self) -> str:
        return f"no rule{'' if self.label is None else f' of {word(self.label)}'} lies inside: {self.rule}"


@dataclass(frozen=True, slots=True)
class Default(Clause, key="default"):
    """The class that is answered where no rule holds."""

    template = "{label} is answered where no rule holds"
    label: Value
    """The class."""


@dataclass(frozen=True, slots=True)
class Priority(Clause, key="priority"):
    """The order in which classes are answered where several fire."""

    classes: tuple[Value, ...]
    """All classes, the one that wins first."""

    def _check(self) -> None:
        check_order(self.name, self.classes)

    @property
    def text(self) -> str:
        return f"where several classes fire, the first of these wins: {', '.join(map(word, self.classes))}"


@dataclass(frozen=True, slots=True)
class Limit(Clause, key="max"):
    """The most edges or rules of the network, or literals of each rule."""

    of: Size
    """What is limited: "edges", "rules" or "literals"."""
    most: int
    """The limit."""

    def _check(self) -> None:
        if isinstance(self.most, bool) or not isinstance(self.most, int) or self.most < 0:
            raise InputError(f"{self.name} must be a whole number from 0 up, found {self.most!r}")

    @property
    def name(self) -> str:
        return f"{self.key}_{self.of}"

    @property
    def text(self) -> str:
        return f"at most {self.most} {self.of}" + (" in each rule" if self.of == "literals" else "")


@dataclass(frozen=True, slots=True)
class LeastRows(Clause, key="min_rows", ranges={"rows": (0, math.inf)}):
    """Every rule covers at least so many rows."""

    template = "every rule covers at least {rows} rows"
    rows: float
    """The least weight of the rows on which a rule holds."""


@dataclass(frozen=True, slots=True)
class LeastPrecision(Clause, key="min_precision", ranges={"precision": (0, 1), "confidence": (0.5, 0.999999)}):
    """Of the rows that a rule covers, at least this share is of its class."""

    precision: float
    """The least share, from 0 to 1."""
    confidence: float | None = None
    """If given, the lower end of the one-sided Wilson interval of this confidence has to reach the share."""

    @property
    def text(self) -> str:
        sure = "" if self.confidence is None else f", with a confidence of {self.confidence:g}"
        return f"at least {self.precision:g} of the rows of every rule are of its class{sure}"


@dataclass(frozen=True, slots=True)
class Fair(Clause, key="fair", shape="tables", named_by=("column", "measure"), ranges={"bound": (0, 1)}):
    """A bound on how differently groups of a column are treated, on given rows."""

    column: str
    """The column of the groups; it need not be one that the network uses."""
    positive: Value
    """The class that is an advantage."""
    bound: float
    """The largest difference of rates, or the least ratio of them, from 0 to 1."""
    measure: Measure = "positive_rate"
    """What is compared: the shares that get the class ("positive_rate"), the same among the rows that are of it
    ("true_positive_rate"), or the smallest share divided by the largest ("selection_ratio")."""

    @property
    def text(self) -> str:
        groups = f"of {word(self.positive)} between groups of {word(self.column)}"
        if self.measure == "selection_ratio":
            return f"the ratio of the rates {groups} is at least {self.bound:g}"
        rates = "true positive rates" if self.measure == "true_positive_rate" else "positive rates"
        return f"the {rates} {groups} differ by at most {self.bound:g}"


@dataclass(frozen=True, slots=True)
class Implies(Clause, key="implies", shape="tables", named_by=("rule",), aliases={"rule": "if", "label": "then"}):
    """Where a rule holds, a class is answered."""

    template = "if {rule}, then {label}"
    rule: str
    """The rule in words; it need not be one of the network."""
    label: Value
    """The class."""


@dataclass(frozen=True, slots=True)
class Bounds(Clause, key="bounds", shape="tables", named_by=("rule",), aliases={"rule": "if"}):
    """Where a rule holds, the score of a scorecard, or the number that it predicts, is within bounds."""

    rule: str = "always"
    """The rule in words; by default all rows."""
    least: float = -math.inf
    """The least score, or the least number."""
    most: float = math.inf
    """The largest score, or the largest number."""

    def _check(self) -> None:
        for value in (self.least, self.most):
            if not is_bound(value):
                self._refuse(f"bounds are numbers, found {value!r}")
        if self.least > self.most:
            self._refuse(f"the least value, {self.least:g}, is above the largest, {self.most:g}")
        if not (math.isfinite(self.least) or math.isfinite(self.most)):
            self._refuse("no bound is given; write least, most, or both")

    @property
    def text(self) -> str:
        return self.say("the score, or the predicted number,")

    def say(self, subject: str) -> str:
        """Return what the clause asks of this subject, in words."""
        ends = [(self.least, "at least"), (self.most, "at most")]
        bounds = " and ".join(f"{side} {number_text(end)}" for end, side in ends if math.isfinite(end))
        return f"{subject} is {bounds}" + ("" if self.rule == "always" else f" where {self.rule}")


@dataclass(frozen=True, slots=True)
class Signatures(Clause, key="signatures", ranges={"least": (1, 100)}):
    """So many people have signed the network as it is, see `RuleNetwork.sign`. Until then, this is undecided."""

    least: int
    """How many people, at least."""

    def _check(self) -> None:
        if not isinstance(self.least, int):
            self._refuse(f"{self.least!r} is no number of people; write a whole number")

    @property
    def text(self) -> str:
        return f"signed by at least {self.least} {'person' if self.least == 1 else 'people'}"


KINDS: tuple[type[Clause], ...] = (
    Monotone, Independent, Forbidden, Apart, OnlyFor, Cost, Locked, Banned, Default, Priority, Limit, LeastRows,
    LeastPrecision, Fair, Implies, Bounds, Signatures,
)  # fmt: skip
"""All kinds of clauses, in the order of a policy."""


def is_bound(value: object) -> bool:
    """Return whether this is a number that a float can hold, or an infinity."""
    if not isinstance(value, int | float) or isinstance(value, bool):
        return False
    return abs(value) <= sys.float_info.max or abs(value) == math.inf


def check_order(name: str, classes: tuple[Value, ...]) -> None:
    """Raise an `InputError` if an order of classes comes back to one of them."""
    for place, label in enumerate(classes):
        if label in classes[:place]:
            way = " < ".join(map(word, classes[classes.index(label) : place + 1]))
            raise InputError(f"{name}: the order of the classes goes in a circle, {way}; name each class once")
