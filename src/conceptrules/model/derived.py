"""Columns that are worked out from others: relations between two columns, and words in text.

`derive` defines what each of them means on one row; tables and exports work out the same for many.
"""

from __future__ import annotations

import math
import re
from collections.abc import Container, Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, get_args
from typing import Literal as Choice

from conceptrules.model.errors import InputError

if TYPE_CHECKING:
    from conceptrules.model.predicate import Column, Kind, Value

Operator = Choice["-", "/", "<"]
OPERATORS: tuple[Operator, ...] = get_args(Operator)
_UPPER = str.maketrans({chr(code): chr(code + 32) for code in range(ord("A"), ord("Z") + 1)})
_WORD = re.compile(r"[A-Za-z0-9\x80-\U0010ffff]+")
_NO_WORD = re.compile(r"[^a-z0-9\x80-\U0010ffff]+")


@dataclass(frozen=True, slots=True)
class Relation:
    """The difference or the ratio of two columns, or whether one is less than the other.

    It is missing where either column is, where the denominator is 0, and where the result is no number.
    """

    left: str
    operator: Operator
    right: str

    def __post_init__(self) -> None:
        if self.operator not in OPERATORS:
            raise InputError(f"a relation has one of {', '.join(OPERATORS)} between its columns, not {self.operator!r}")
        if self.left == self.right:
            raise InputError(f"a relation needs two columns; {self.left!r} stands on both sides")

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that it is worked out from."""
        return self.left, self.right


@dataclass(frozen=True, slots=True)
class Mention:
    """Whether a text mentions any of some terms: words, or pairs of words that follow each other.

    A word is a run of ASCII letters, ASCII digits, and all characters beyond ASCII; A to Z are read as a to z. A
    missing text mentions nothing.
    """

    column: str
    terms: tuple[str, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "terms", tuple(self.terms))
        for term in self.terms:
            if normalise_text(term) != f" {term} ":
                raise InputError(
                    f"{term!r} is no term: give words in small letters with one blank between two of them, such as "
                    f"{normalise_text(term).strip()!r}"
                )
        if not self.terms or len(set(self.terms)) < len(self.terms):
            raise InputError(f"a mention in {self.column!r} needs terms, each of them once; got {list(self.terms)}")

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that it is worked out from."""
        return (self.column,)


@dataclass(frozen=True, slots=True)
class Length:
    """How many characters a text has; missing where the text is."""

    column: str

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that it is worked out from."""
        return (self.column,)


Derivation = Relation | Mention | Length


def read_relation(text: str, names: Container[str] = ()) -> Relation:
    """Return the relation that a text states; of several ways to read it, the one with columns of these names.

    >>> read_relation("net income - debt", ["net income", "debt"])
    Relation(left='net income', operator='-', right='debt')
    """
    words = text.split(" ")
    parts = [
        (" ".join(words[:position]), operator, " ".join(words[position + 1 :]))
        for position, operator in enumerate(words)
        if operator in OPERATORS and 0 < position < len(words) - 1
    ]
    if not parts:
        raise InputError(f"the relation {text!r} should read like 'debt / income', with -, / or < between two columns")
    # The name of a column may have such a sign, too.
    left, operator, right = next((part for part in parts if part[0] in names and part[2] in names), parts[0])
    return Relation(left, operator, right)


def require_own_columns(columns: Sequence[Column], reader: str) -> None:
    """Raise an `InputError`, with the name of the reader, if there are derived columns and the reader knows none."""
    derived = [column.name for column in columns if column.derivation is not None]
    if derived:
        raise InputError(f"{reader} does not know columns that are worked out from others yet, such as {derived[0]}")


def refuse_texts(columns: Sequence[Column], reader: str) -> None:
    """Raise an `InputError`, with the name of the reader, if it has to know what a text says and cannot."""
    for column in columns:
        if isinstance(column.derivation, Mention | Length):
            raise InputError(
                f"{reader} cannot work out what the text in column {column.derivation.column!r} says, of which a rule "
                f"asks {column.name}; export to python, javascript, c, or to the sql of duckdb, postgres or sqlite, or "
                "learn without that column"
            )


def plain_derivation(derivation: Derivation) -> dict[str, object]:
    """Return a derivation as plain values, for the model file and for hashes."""
    return {"kind": type(derivation).__name__.lower(), **asdict(derivation)}


def normalise_text(text: str) -> str:
    """Return the words of a text in small letters, with one blank before, between and after them.

    >>> normalise_text("Refund, PLEASE!")
    ' refund please '
    """
    return f" {_NO_WORD.sub(' ', text.translate(_UPPER)).strip(' ')} "


def find_spans(text: str, terms: Iterable[str]) -> list[tuple[int, int]]:
    """Return where a text mentions any of these terms: the first character, and the one after the last.

    >>> find_spans("Refund, PLEASE refund", ["refund", "please refund"])
    [(0, 6), (8, 21)]
    """
    words = [(match.start(), match.end(), match[0].translate(_UPPER)) for match in _WORD.finditer(text)]
    spans: list[tuple[int, int]] = []
    sought = [term.split(" ") for term in terms]
    for position, (start, _, _) in enumerate(words):
        ends = [
            words[position + len(term) - 1][1]
            for term in sought
            if [word for _, _, word in words[position : position + len(term)]] == term
        ]
        if ends and spans and start < spans[-1][1]:
            spans[-1] = (spans[-1][0], max(spans[-1][1], *ends))
        elif ends:
            spans.append((start, max(ends)))
    return spans


def derive(derivation: Derivation, values: Sequence[Value | None]) -> Value | None:
    """Return what a derived column holds on a row, from what the columns that it is worked out from hold.

    Numbers, dates and durations are floats, as `Column` reads them; None and NaN are missing values.

    >>> derive(Relation("debt", "/", "income"), [10.0, 40.0]), derive(Relation("debt", "/", "income"), [10.0, 0.0])
    (0.25, None)
    """
    gaps = [value is None or value != value for value in values]  # noqa: PLR0124
    if isinstance(derivation, Mention):
        text = " " if gaps[0] else normalise_text(str(values[0]))
        return any(f" {term} " in text for term in derivation.terms)
    if any(gaps):
        return None
    if isinstance(derivation, Length):
        return float(len(str(values[0])))
    left, right = (float(value) for value in values)  # type: ignore[arg-type]
    match derivation.operator:
        case "<":
            return left < right
        case "-":
            result = left - right
        case "/":
            result = left / right if right else math.nan
    return None if math.isnan(result) else result


def list_sources(derivation: Derivation, columns: Iterable[Column]) -> list[Column]:
    """Return the columns that a derivation needs, of these."""
    by_name = {column.name: column for column in columns}
    return [by_name[name] for name in derivation.columns]


def make_derived(derivation: Derivation, sources: Sequence[Column]) -> Column:
    """Return the column that is worked out from these, or raise an `InputError` if they do not suit the derivation."""
    from conceptrules.model.predicate import Column

    name, missing = name_derivation(derivation), any(column.missing for column in sources)
    match derivation:
        case Relation():
            kind = _find_kind(derivation, sources)
            return Column(name, kind, (False, True) if kind == "boolean" else (), missing, derivation)
        case Mention() | Length():
            if sources[0].kind != "text":
                raise InputError(
                    f"{name} needs text; column {sources[0].name!r} is of the kind {sources[0].kind}: say "
                    f"kinds={{{sources[0].name!r}: 'text'}}"
                )
            if isinstance(derivation, Length):
                return Column(name, "number", (), missing, derivation)
            return Column(name, "boolean", (False, True), False, derivation)
    raise AssertionError(derivation)


def _find_kind(relation: Relation, sources: Sequence[Column]) -> Kind:
    """Return what a relation between two columns holds, or raise an `InputError` if it makes no sense."""
    from conceptrules.model.predicate import ORDERED

    for column in sources:
        if column.kind not in ORDERED:
            raise InputError(
                f"the relation {name_derivation(relation)} needs numbers, dates or durations; column {column.name!r} "
                f"is of the kind {column.kind}"
            )
    units = {"date" if column.kind == "datetime" else column.kind for column in sources}
    if len(units) > 1 or (relation.operator == "/" and "date" in units):
        raise InputError(
            f"the relation {name_derivation(relation)} is between columns of the kinds {sources[0].kind} and "
            f"{sources[1].kind}; two numbers, two dates or two durations can be subtracted and compared, and two "
            "numbers or two durations divided"
        )
    if relation.operator == "<":
        return "boolean"
    return "duration" if relation.operator == "-" and units != {"number"} else "number"


def name_derivation(derivation: Derivation, negated: bool = False) -> str:
    """Return the name of a derived column, which says what it is; negated: what its being false says.

    >>> print(name_derivation(Mention("comment", ("refund",))), name_derivation(Relation("a", "<", "b"), negated=True))
    comment mentions "refund" a >= b
    """
    from conceptrules.model.text import word

    match derivation:
        case Relation():
            return _write_relation(derivation, ">=" if negated and derivation.operator == "<" else None)
        case Length(column=column):
            return f"length of {word(column)}"
        case Mention(column=column, terms=(term,)):
            return f'{word(column)} {"does not mention" if negated else "mentions"} "{term}"'
        case Mention(column=column, terms=terms):
            listed = ", ".join(f'"{term}"' for term in terms)
            return f"{word(column)} mentions {'none' if negated else 'any'} of {{{listed}}}"
    raise AssertionError(derivation)


def _write_relation(relation: Relation, operator: str | None = None) -> str:
    from conceptrules.model.text import word

    return f"{word(relation.left)} {operator or relation.operator} {word(relation.right)}"
