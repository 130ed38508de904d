"""Rules as regions of rows: whether all rows of one are rows of another."""

from __future__ import annotations

from collections.abc import Sequence

from conceptrules.logic.column_cells import elementary_cells
from conceptrules.model.network import RuleNetwork
from conceptrules.model.predicate import Column
from conceptrules.model.rule_reader import Stated


def lies_inside(columns: Sequence[Column], rule: Sequence[Stated], region: Sequence[Stated]) -> bool:
    """Return whether a rule holds only where a region's tests all hold.

    >>> from conceptrules.model.predicate import Interval
    >>> age = Column("age")
    >>> older, old = Stated(Interval("age", 60)), Stated(Interval("age", 50))
    >>> lies_inside([age], [older], [old]), lies_inside([age], [old], [older])
    (True, False)
    """
    known = {column.name: column for column in columns}
    for name in dict.fromkeys(test.predicate.column for test in region):
        tests = [test for test in (*rule, *region) if test.predicate.column == name]
        cells = elementary_cells(known[name], [test.predicate for test in tests])
        every = (1 << len(cells.values)) - 1
        held = [every & ~cells.where(test.predicate) if test.negated else cells.where(test.predicate) for test in tests]
        own, others = every, every
        for test, mask in zip(tests, held, strict=True):
            if test in region:
                others &= mask
            if test in rule:
                own &= mask
        if own & ~others:
            return False
    return True


def rules_inside(network: RuleNetwork, region: Sequence[Stated]) -> tuple[int, ...]:
    """Return the rules of the first level that lie inside a region."""
    found = []
    for number, rule in enumerate(network.levels[0].rules):
        own = [Stated(network.predicates[one.index], one.negated) for one in rule.literals]
        if lies_inside(network.columns, own, region):
            found.append(number)
    return tuple(found)
