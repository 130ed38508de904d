"""Rules of a policy, from words to the codes of the kernels: those it locks, and those it bans.

Locked rules are the first ones of every network, and the search leaves them as they are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from conceptrules.kernels.search.values import LONGEST, Rules, empty_rules
from conceptrules.learn.binned_table import MAX_BINS, BinnedTable, Bins
from conceptrules.model.errors import InputError
from conceptrules.model.policy import Banned, Implies, Locked, Policy
from conceptrules.model.policy.policy import read_banned_rule, read_known_rule
from conceptrules.model.predicate import Value, finite_bounds, holds, size_of
from conceptrules.model.rule_reader import Stated


@dataclass(frozen=True, slots=True, eq=False)
class LockedRules:
    """Rules that stay as they are."""

    rules: Rules
    tests: tuple[tuple[Stated, ...], ...]
    """Their literals, word for word."""


def list_kept_rules(policy: Policy) -> tuple[Locked, ...]:
    """Return the locked rules, and those that imply a class, which are locked as rules that decide."""
    locked = policy.of_kind(Locked)
    known = {clause.rule for clause in locked if clause.mode == "decides"}
    implications = (clause for clause in policy.of_kind(Implies) if clause.rule not in known)
    implied = (Locked(clause.rule, clause.label, "decides") for clause in implications)
    return (*locked, *implied)


def add_locked_cuts(table: BinnedTable, policy: Policy) -> BinnedTable:
    """Return the table with bins that end where the locked rules cut their columns."""
    cuts: dict[str, set[float]] = {}
    for tests in _read_tests(table, policy):
        for test in tests:
            cuts.setdefault(test.predicate.column, set()).update(finite_bounds([test.predicate]))
    return BinnedTable(tuple(_add_cuts(bins, cuts.get(bins.column.name, set())) for bins in table.bins))


def code_locked_rules(table: BinnedTable, classes: Sequence[Value], policy: Policy) -> LockedRules:
    """Return the locked rules of a policy."""
    clauses, tests_by_rule = list_kept_rules(policy), _read_tests(table, policy)
    for clause, tests in zip(clauses, tests_by_rule, strict=True):
        names = {test.predicate.column for test in tests}
        if not 0 < len(names) <= LONGEST:
            raise InputError(
                f"{clause.name}: a rule of 1 to {LONGEST} columns can be learned around, not of {len(names)}"
            )
    owners = [classes.index(clause.label) for clause in clauses]
    return LockedRules(code_rules(table, owners, tests_by_rule), tests_by_rule)


def code_banned_rules(table: BinnedTable, classes: Sequence[Value], policy: Policy) -> Rules:
    """Return the rules that are not to be learned; those of more conditions than a rule can have are left out."""
    columns = tuple(bins.column for bins in table.bins)
    regions = [(classes.index(clause.label), read_banned_rule(clause, columns)) for clause in policy.of_kind(Banned)]
    short = [region for region in regions if 0 < len({test.predicate.column for test in region[1]}) <= LONGEST]
    return code_rules(table, [owner for owner, _ in short], [tests for _, tests in short])


def code_rules(table: BinnedTable, owners: Sequence[int], tests_by_rule: Sequence[Sequence[Stated]]) -> Rules:
    """Return rules in the bins of a table; a bin is inside where its upper end is."""
    rules = empty_rules(len(owners))
    position = {bins.column.name: number for number, bins in enumerate(table.bins)}
    for number, (owner, tests) in enumerate(zip(owners, tests_by_rule, strict=True)):
        names = list(dict.fromkeys(test.predicate.column for test in tests))
        rules.owner[number], rules.length[number] = owner, len(names)
        for condition, name in enumerate(names):
            bins = table.bins[position[name]]
            tests_of_column = [test for test in tests if test.predicate.column == name]
            rules.column[number, condition] = position[name]
            rules.size[number, condition] = sum(size_of(test.predicate, bins.column) for test in tests_of_column)
            for code, value in enumerate((*bins.list_examples(), None)):
                rules.allowed[number, condition, code] = all(
                    holds(test.predicate, value) != test.negated for test in tests_of_column
                )
    return rules


def _read_tests(table: BinnedTable, policy: Policy) -> tuple[tuple[Stated, ...], ...]:
    columns = tuple(bins.column for bins in table.bins)
    return tuple(read_known_rule(clause.name, clause.rule, columns) for clause in list_kept_rules(policy))


def _add_cuts(bins: Bins, cuts: set[float]) -> Bins:
    if len(cuts) >= MAX_BINS:
        most = f"at most {MAX_BINS - 1} can be learned around; lock fewer rules"
        raise InputError(f"the locked rules cut the column {bins.column.name!r} at {len(cuts)} places; {most}")
    more = tuple(sorted(cuts | set(bins.cuts)))
    if len(more) >= MAX_BINS:
        kept = np.linspace(0, len(bins.cuts) - 1, MAX_BINS - 1 - len(cuts)).round().astype(int)
        more = tuple(sorted(cuts | {bins.cuts[number] for number in kept}))
    return replace(bins, cuts=more)
