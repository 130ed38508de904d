"""Rules as regions of rows: whether all rows of one are rows of another."""

from __future__ import annotations

from collections.abc import Sequence

from conceptrules.logic.column_cells import elementary_cells
from conceptrules.model.errors import InputError
from conceptrules.model.network import RuleNetwork
from conceptrules.model.predicate import Column, Value
from conceptrules.model.rule_reader import Stated, read_rule


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


def rules_inside(network: RuleNetwork, label: Value, region: str) -> tuple[int, ...]:
    """Return the rules of a class, of a network with one level, that lie inside the region of a rule in words.

    There are none if the network has several levels, or not the columns of the region.
    """
    if len(network.levels) > 1 or label not in network.classes:
        return ()
    try:
        wanted = read_rule(region, network.columns)
    except InputError:
        return ()
    level, found = network.levels[0], []
    for rule in level.concepts[network.classes.index(label)].rules:
        own = [Stated(network.predicates[one.index], one.negated) for one in level.rules[rule].literals]
        if lies_inside(network.columns, own, wanted):
            found.append(rule)
    return tuple(found)
