"""What a policy asks of columns that are worked out from others: what it asks of those, passed on.

A change of one column changes what is worked out from it, as if one followed the other. So a decision that may not fall
as `income` rises may not fall as `income - rent` rises either, and one that is independent of a column is independent
of all that is worked out from it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import product

from conceptrules.model.derived import Relation
from conceptrules.model.policy.clauses import Apart, Clause, Cost, Independent, Monotone, OnlyFor
from conceptrules.model.policy.policy import Domain, Policy
from conceptrules.model.predicate import Column

ByColumn = Monotone | Independent | OnlyFor | Cost


def reach_derived(policy: Policy, columns: Sequence[Column]) -> Policy:
    """Return the policy with what its clauses mean for the derived ones among these columns."""
    stated = {_find_subject(clause): clause for clause in policy.clauses if isinstance(clause, ByColumn)}
    passed: dict[tuple[type[Clause], str], Clause] = {}
    others: list[Clause] = []
    for clause in policy.clauses:
        for each in _pass_on(clause, columns, policy.domain):
            if not isinstance(each, ByColumn):
                others.append(each)
                continue
            subject = _find_subject(each)
            alike = stated.setdefault(subject, each) == each
            passed[subject] = each if alike or isinstance(each, Cost) else Independent(each.column)
    return replace(policy, clauses=tuple(dict.fromkeys([*policy.clauses, *passed.values(), *others])))


def _find_subject(clause: ByColumn) -> tuple[type[Clause], str]:
    """Return what a clause is about: a decision that is independent of a column is one that does not fall with it."""
    return Monotone if isinstance(clause, Independent) else type(clause), clause.column


def _pass_on(clause: Clause, columns: Sequence[Column], domain: Domain) -> Iterator[Clause]:
    match clause:
        case Independent() | OnlyFor() | Cost():
            for column in _list_derived(clause.column, columns):
                yield replace(clause, column=column.name)
        case Apart():
            firsts, seconds = (
                [name, *(column.name for column in _list_derived(name, columns))]
                for name in (clause.first, clause.second)
            )
            pairs = [pair for pair in product(firsts, seconds) if pair != (clause.first, clause.second)]
            yield from (Apart(*pair) if pair[0] != pair[1] else Independent(pair[0]) for pair in pairs)
        case Monotone():
            for column in _list_derived(clause.column, columns):
                rising = _find_direction(clause, column, domain)
                if rising is None:
                    yield Independent(column.name)
                else:
                    direction = clause.direction if rising else "down" if clause.direction == "up" else "up"
                    yield replace(clause, column=column.name, direction=direction)


def _list_derived(name: str, columns: Sequence[Column]) -> list[Column]:
    return [column for column in columns if column.derivation is not None and name in column.derivation.columns]


def _find_direction(clause: Monotone, column: Column, domain: Domain) -> bool | None:
    """Return whether a derived column rises as that of the clause does; None where that depends on the row."""
    relation = column.derivation
    if not isinstance(relation, Relation) or clause.missing == "lowest":
        return None
    left = relation.left == clause.column
    if relation.operator != "/":
        return left == (relation.operator == "-")
    ranges = {name: (low, high) for name, low, high in domain.ranges}
    (least, most), (lowest, highest) = (ranges.get(name, (0.0, float("inf"))) for name in relation.columns)
    if lowest <= 0 or least < 0 or float("inf") in (most, highest):
        return None  # the sign of the denominator or of the numerator is not known, or it may be infinite
    return left
