"""A policy: the clauses that a network is to satisfy, on the rows that are possible."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any, TypeVar, get_args

from conceptrules.model.derived import read_relation
from conceptrules.model.errors import InputError, short_errors
from conceptrules.model.policy.clauses import (
    KINDS,
    LABEL,
    LABELS,
    Apart,
    Banned,
    Bounds,
    Clause,
    Default,
    Fair,
    Forbidden,
    Implies,
    Independent,
    LeastPrecision,
    Limit,
    Locked,
    Monotone,
    OnlyFor,
    Priority,
    Size,
    is_bound,
)
from conceptrules.model.policy.triggers import Trigger
from conceptrules.model.predicate import Column, Value, categories_of
from conceptrules.model.rule_reader import Stated, nearest_name, read_rule
from conceptrules.model.text import category_word, word

C = TypeVar("C", bound=Clause)


@dataclass(frozen=True, slots=True)
class Domain:
    """The rows that are possible. By default these are all rows that a table could hold.

    Raises
    ------
    InputError
        If a range has no value in it, or a column has two.
    """

    ranges: tuple[tuple[str, float, float], ...] = ()
    """Columns with their least and their greatest value, both possible."""
    missing: bool | tuple[str, ...] = True
    """Whether values can be missing; or the columns where they can."""
    unseen: bool = True
    """Whether a column can hold categories that training did not see."""
    impossible: tuple[str, ...] = ()
    """Rules in words: no possible row satisfies one of these."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "ranges", tuple((name, low, high) for name, low, high in self.ranges))
        object.__setattr__(self, "impossible", tuple(self.impossible))
        if not isinstance(self.missing, bool):
            object.__setattr__(self, "missing", tuple(self.missing))
        names = [name for name, _, _ in self.ranges]
        for name, low, high in self.ranges:
            if not (is_bound(low) and is_bound(high) and low <= high):
                raise InputError(f"domain.ranges.{name} must be two numbers, the least first, found {[low, high]}")
            if names.count(name) > 1:
                raise InputError(f"domain.ranges names {name!r} twice; give one range")

    def can_miss(self, column: str) -> bool:
        """Return whether a value of this column can be missing."""
        return self.missing if isinstance(self.missing, bool) else column in self.missing

    @property
    def names(self) -> tuple[str, ...]:
        """The columns that ranges and gaps name."""
        gaps = () if isinstance(self.missing, bool) else self.missing
        return (*(name for name, _, _ in self.ranges), *gaps)


@dataclass(frozen=True, slots=True)
class Policy:
    """What a network is to satisfy: clauses, and the rows that are possible.

    The same value steers learning and is proved of a network. `Policy.of` takes the keys of a policy file as keywords,
    `Policy.read` a TOML file.

    Raises
    ------
    InputError
        If clauses contradict each other whatever the data are.

    Examples
    --------
    >>> policy = Policy.of(monotone={"income": "up"}, better="approve", forbidden=["sex"], max_edges=20)
    >>> for clause in policy.clauses:
    ...     print(clause.name, "-", clause.text)
    monotone.income - as income rises, the decision never gets worse (approve is better)
    forbidden.sex - no rule asks about sex
    max_edges - at most 20 edges
    """

    clauses: tuple[Clause, ...] = ()
    """What is asked for; the clauses are kept by their kinds, in the order of a policy file."""
    domain: Domain = field(default_factory=Domain)
    """The rows that are possible; by default all."""
    triggers: tuple[Trigger, ...] = ()
    """What `RuleNetwork.monitor` looks for in new rows, under `monitor` in a file; nothing of it is proved."""
    relations: tuple[str, ...] = ()
    """Relations between columns that rules may ask about, such as "debt / income"; nothing of it is proved."""

    def __post_init__(self) -> None:
        _check_kinds(self.clauses)
        object.__setattr__(self, "relations", tuple(self.relations))
        for relation in self.relations:
            read_relation(relation)
        object.__setattr__(self, "clauses", tuple(sorted(self.clauses, key=_place)))
        _check_repeated(self.clauses)
        _check_together(self)

    @property
    def decision_clauses(self) -> tuple[Clause, ...]:
        """The clauses about decisions. They ask nothing of probabilities, so an answer by a cut-off may break them."""
        return tuple(
            clause
            for clause in self.clauses
            if isinstance(clause, Monotone | Independent | Implies)
            or (isinstance(clause, Locked) and clause.mode == "decides")
        )

    def of_kind(self, kind: type[C]) -> tuple[C, ...]:
        """Return the clauses of one kind.

        Parameters
        ----------
        kind : type
            A class of clauses, such as `Monotone`.

        Returns
        -------
        tuple of Clause
            These clauses, in their order.
        """
        return tuple(clause for clause in self.clauses if isinstance(clause, kind))

    @classmethod
    def of(cls, **keys: Any) -> Policy:
        """Return a policy from the keys that a policy file has, as keywords.

        Parameters
        ----------
        **keys
            The keys; docs/steering.md lists them.

        Returns
        -------
        Policy
            The policy.

        Raises
        ------
        InputError
            If a key is unknown, a value of the wrong type, or clauses contradict each other.
        """
        from conceptrules.model.policy.plain import from_plain

        with short_errors():
            return from_plain(keys)

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> Policy:
        """Return the policy of a TOML file.

        Parameters
        ----------
        path : str or path
            The file.

        Returns
        -------
        Policy
            The policy.

        Raises
        ------
        InputError
            If the file is no policy; the message names the clause and what to write instead.
        OSError
            If the file cannot be read.
        """
        from conceptrules.model.policy.plain import from_toml, read_text

        with open(path, "rb") as stream, short_errors(f"{path}: "):
            return from_toml(read_text(stream))


@short_errors()
def check_policy(
    policy: Policy, columns: Sequence[Column], classes: Sequence[Value], scorecard: bool = False
) -> Policy:
    """Return the policy with the whole order of the classes in its monotone clauses.

    Raise an `InputError` where there is no such order, where a policy names columns or classes that are not there, or
    rules that cannot be read, and for clauses that are not about this kind of network.
    Groups of fairness need not be among the columns, and neither need forbidden columns, of which the decision is
    independent then.
    """
    for each in policy.clauses:
        _check_kind(each, len(classes), scorecard)
    names = [column.name for column in columns]
    absent = {f"independent.{clause.column}" for clause in policy.of_kind(Forbidden)}
    for clause, column in _columns_of(policy):
        if column not in names and clause not in absent:
            if f"independent.{column}" in absent:
                hint = "take one of the two clauses out"
                raise InputError(f"{clause}: the column {column!r} is forbidden, so no rule asks about it; {hint}")
            raise InputError(f"{clause}: there is no column {column!r}; {nearest_name(column, names)}")
    for clause, label in _classes_of(policy):
        if label not in classes:
            known = nearest_name(str(label), list(map(str, classes))) if classes else "a number is predicted"
            alike = [each for each in classes if str(each) == str(label)]
            known = f"write {_quote(alike[0])}" if alike else known
            raise InputError(f"{clause}: there is no class {label!r}; {known}")
    for priority in policy.of_kind(Priority):
        if len(priority.classes) != len(classes):
            raise InputError(f"priority must list each class once: {', '.join(map(word, classes))}")
    for monotone in policy.of_kind(Monotone):
        kind = next(column.kind for column in columns if column.name == monotone.column)
        if kind in ("category", "text"):
            raise InputError(
                f"{monotone.name}: the column {monotone.column!r} is {'a ' * (kind == 'category')}{kind}, which has no "
                "order; make it an ordinal column, or take the clause out"
            )
    ranked = [_rank_classes(c, classes) if isinstance(c, Monotone) else c for c in policy.clauses]
    for column, low, _ in policy.domain.ranges:
        if not next(known.ordered for known in columns if known.name == column):
            raise InputError(f"domain.ranges.{column}: the column is not ordered, so {low:g} means nothing there")
    _check_rules(policy, columns)
    _check_locked(policy, columns)
    return replace(policy, clauses=tuple(ranked))


def _check_kind(clause: Clause, classes: int, scorecard: bool) -> None:
    """Raise an `InputError` for a clause that says nothing of scorecards, or only something of scorecards."""
    points = clause.points if isinstance(clause, Locked) else ()
    if not scorecard:
        if isinstance(clause, Bounds) or points:
            raise InputError(f"{clause.name}: only a scorecard has points and scores; take the clause out")
        if isinstance(clause, Locked | Banned) and clause.label is None:
            raise InputError(f"{clause.name}: 'class' is missing; say which class the rule is of")
        return
    if isinstance(clause, OnlyFor | Default | Priority | LeastPrecision):
        raise InputError(f"{clause.name}: the rules of a scorecard belong to no class; take the clause out")
    if isinstance(clause, Bounds) and classes > 2:
        raise InputError(
            f"{clause.name}: of several classes, a score means something only against the others; take the clause out, "
            "or say with `implies` which class is answered"
        )
    outputs = classes if classes > 2 else 1
    if points and len(points) != outputs:
        raise InputError(f"{clause.name}: points for {len(points)} scores, and there are {outputs}; give so many")
    if isinstance(clause, Fair | Implies) and not classes:
        raise InputError(f"{clause.name}: a number is predicted, and there are no classes; use `bounds` instead")
    if isinstance(clause, Locked) and clause.mode == "decides" and clause.label is None:
        raise InputError(f"{clause.name}: 'class' is missing; say which class is answered where the rule holds")


def _rank_classes(clause: Monotone, classes: Sequence[Value]) -> Monotone:
    """Return the clause with the order of all classes."""
    if len(classes) == 2 and len(clause.order) == 1:
        return replace(clause, order=(*(label for label in classes if label not in clause.order), *clause.order))
    if len(clause.order) != len(classes):
        example = f"order = [{', '.join(map(_quote, classes))}]"
        example += f", or better = {_quote(classes[-1])}" if len(classes) == 2 else ""
        raise InputError(
            f"{clause.name}: the order must list each class once, from the worst to the best: write {example}, if that "
            "is how they stand"
        )
    return clause


def _quote(label: Value) -> str:
    """Return a class as a policy file has it."""
    return json.dumps(label, ensure_ascii=False) if isinstance(label, str | bool) else str(label)


def _check_rules(policy: Policy, columns: Sequence[Column]) -> None:
    for name, text in rule_texts(policy):
        read_known_rule(name, text, columns)
    for clause in policy.of_kind(Banned):
        read_banned_rule(clause, columns)


def read_banned_rule(clause: Banned, columns: Sequence[Column]) -> tuple[Stated, ...]:
    """Return the tests of a banned rule; it may name categories that are no longer there."""
    try:
        return read_rule(clause.rule, columns)
    except InputError as error:
        raise InputError(f"{clause.name}: {error}") from None


def read_known_rule(clause: str, text: str, columns: Sequence[Column]) -> tuple[Stated, ...]:
    """Return the tests of a rule in words; an error names the clause, and so does one about an unknown category."""
    try:
        tests = read_rule(text, columns)
    except InputError as error:
        raise InputError(f"{clause}: {error}") from None
    known = {column.name: column for column in columns}
    for test in tests:
        column = known[test.predicate.column]
        for value in categories_of(test.predicate):
            if column.categories and value not in column.categories:
                listed = [category_word(column, category) for category in column.categories]
                raise InputError(
                    f"{clause}: column {column.name!r} has no category {value!r}; {nearest_name(str(value), listed)}"
                )
    return tests


def rule_texts(policy: Policy) -> Iterator[tuple[str, str]]:
    """Yield the rules in words, each with the name of its clause."""
    for clause in policy.clauses:
        if isinstance(clause, Locked | Implies | Bounds):
            yield clause.name, clause.rule
    for place, text in enumerate(policy.domain.impossible):
        yield f"domain.impossible[{place}]", text


def _columns_of(policy: Policy) -> Iterator[tuple[str, str]]:
    """Yield the columns that a table has to have, each with the clause that names it."""
    for clause in policy.clauses:
        if not isinstance(clause, Forbidden | Fair):
            names = (getattr(clause, part, None) for part in ("column", "first", "second"))
            yield from ((clause.name, name) for name in names if name is not None)
    for column in policy.domain.names:
        yield "domain", column


def _classes_of(policy: Policy) -> Iterator[tuple[str, Value]]:
    """Yield the classes that clauses speak of, each with the name of the clause."""
    for clause in policy.clauses:
        for part in fields(clause):
            value = getattr(clause, part.name)
            labels = (value,) if part.type in LABEL else value if part.type == LABELS else ()
            yield from ((clause.name, label) for label in labels if label is not None)


def names_column(policy: Policy | None, name: str) -> bool:
    """Return whether a policy says something of a column, perhaps in a rule, besides that it is forbidden."""
    if policy is None:
        return False
    banned = (clause.rule for clause in policy.of_kind(Banned))
    texts = (*(text for _, text in rule_texts(policy)), *banned)
    return any(column == name for _, column in _columns_of(policy)) or any(name in text for text in texts)


def _place(clause: Clause) -> tuple[int, int]:
    """Return what clauses are sorted by."""
    return KINDS.index(type(clause)), get_args(Size).index(clause.of) if isinstance(clause, Limit) else 0


def _check_kinds(clauses: Sequence[object]) -> None:
    for clause in clauses:
        if not isinstance(clause, Clause):
            raise InputError(f"a policy is made of clauses such as Monotone('age', 'up'), not of {clause!r}")


def _check_repeated(clauses: Sequence[Clause]) -> None:
    seen: dict[str, Clause] = {}
    for clause in clauses:
        other = seen.setdefault(clause.name, clause)
        if other is not clause and other != clause:
            raise InputError(f"{clause.name} is asked for twice and differently: {other.text}; {clause.text}")
        if other is not clause:
            raise InputError(f"{clause.name} is asked for twice; take one of them out")


def _check_together(policy: Policy) -> None:
    """Refuse what no network satisfies, whatever the data are."""
    limits = {limit.of: limit.most for limit in policy.of_kind(Limit)}
    locked = policy.of_kind(Locked)
    for size in ("rules", "edges"):
        most = limits.get(size, len(locked))
        if most < len(locked):
            raise InputError(f"max_{size} = {most}, but {len(locked)} rules are locked; allow more, or unlock some")
    decided = {clause.rule: clause for clause in locked if clause.mode == "decides"}
    for clause in policy.of_kind(Implies):
        other = decided.get(clause.rule)
        if other is not None and other.label != clause.label:
            raise InputError(f"{clause.name} contradicts {other.name}: {clause.text}, but {other.text}")


def _check_locked(policy: Policy, columns: Sequence[Column]) -> None:
    """Refuse locked rules that other clauses forbid."""
    forbidden = {clause.column: clause.name for clause in policy.of_kind(Forbidden)}
    limits = {limit.of: limit.most for limit in policy.of_kind(Limit)}
    only = {clause.column: clause for clause in policy.of_kind(OnlyFor)}
    for clause in policy.of_kind(Locked):
        tests = read_known_rule(clause.name, clause.rule, columns)
        used = {test.predicate.column for test in tests}
        for column in sorted(used):
            if column in forbidden:
                raise InputError(f"{clause.name} contradicts {forbidden[column]}; unlock the rule, or allow the column")
            if column in only and clause.label not in only[column].classes:
                raise InputError(f"{clause.name} contradicts {only[column].name}: {only[column].text}")
        for pair in policy.of_kind(Apart):
            if {pair.first, pair.second} <= used:
                raise InputError(f"{clause.name} contradicts {pair.name}: {pair.text}")
        if len(tests) > limits.get("literals", len(tests)):
            raise InputError(f"{clause.name} has {len(tests)} literals, but max_literals = {limits['literals']}")
