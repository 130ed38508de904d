"""Smaller scorecards that give every possible row the same scores."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from conceptrules.logic.bins import split_into_bins
from conceptrules.logic.column_cells import cells_of
from conceptrules.model.evaluation import PackedBits, layers
from conceptrules.model.heads import Points
from conceptrules.model.network import Level, Literal, Rule, RuleNetwork
from conceptrules.model.provenance import without_rule_figures
from conceptrules.model.statistics import edges, sizes_of

Literals = tuple[Literal, ...]


def minimise_card(network: RuleNetwork) -> RuleNetwork:
    """Return the smallest scorecard found with the same scores: rules of one column may become bins."""
    best = simplify_card(network)
    while edges(smaller := simplify_card(split_into_bins(best))) < edges(best):
        best = smaller
    return best


def simplify_card(network: RuleNetwork, bits: PackedBits | None = None) -> RuleNetwork:
    """Return a scorecard with the same scores: literals that others imply go, and rules that never count.

    Rules that hold on the same rows are one, and what holds on all rows goes to the base. With `bits`, rules that hold
    on none of these rows go as well. Cards with concepts below their rules stay as they are.
    """
    head = network.head
    assert head is not None
    if len(network.levels) > 1:
        return network
    silent = set[int]()
    if bits is not None:
        silent = {number for number, words in enumerate(layers(network, bits)[-2].words) if not words.any()}
    cells, sizes = cells_of((network,)), sizes_of(network)

    def find_region(literals: Sequence[Literal]) -> dict[str, int]:
        """Return the cells where these literals hold together, by column; columns that may be anything are left out."""
        region: dict[str, int] = {}
        for literal in literals:
            predicate = network.predicates[literal.index]
            column = cells[predicate.column]
            full, mask = (1 << len(column.values)) - 1, column.where(predicate)
            region[predicate.column] = region.get(predicate.column, full) & (full & ~mask if literal.negated else mask)
        return {name: mask for name, mask in region.items() if mask != (1 << len(cells[name].values)) - 1}

    def shorten(literals: Literals) -> Literals:
        """Return the literals without those that the others imply, large ones first."""
        for literal in sorted(literals, key=lambda each: -sizes[each.index]):
            rest = tuple(each for each in literals if each is not literal)
            literals = rest if find_region(rest) == find_region(literals) else literals
        return literals

    base, merged = head.base, dict[frozenset[tuple[str, int]], tuple[Literals, tuple[int, ...]]]()
    for number, (rule, points) in enumerate(zip(network.levels[0].rules, head.points, strict=True)):
        region = find_region(rule.literals)
        if number in silent or not all(region.values()):
            continue
        if not region:
            base = _add(base, points)
            continue
        literals, key = shorten(rule.literals), frozenset(region.items())
        known, sum_of_points = merged.get(key, (literals, (0,) * head.outputs))
        shortest = min(known, literals, key=lambda each: sum(sizes[literal.index] for literal in each))
        merged[key] = shortest, _add(sum_of_points, points)
    return _with_rules(network, head, base, [pair for pair in merged.values() if any(pair[1])])


def _with_rules(
    network: RuleNetwork, head: Points, base: tuple[int, ...], rules: Sequence[tuple[Literals, tuple[int, ...]]]
) -> RuleNetwork:
    level = Level(tuple(Rule(literals) for literals, _ in rules), ())
    head = replace(head, base=base, points=tuple(points for _, points in rules))
    if (level,) == network.levels and head == network.head:
        return network
    training = without_rule_figures(network.training)
    return replace(network, levels=(level,), head=head, statistics=None, training=training)


def _add(points: Sequence[int], more: Sequence[int]) -> tuple[int, ...]:
    return tuple(map(int.__add__, points, more))
