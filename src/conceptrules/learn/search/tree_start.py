"""Another starting point of the search: the leaves of a decision tree as rules.

A local search ends where no single change helps, and a large network starts only from the one before it. Where classes
depend on many columns together, that ends too early. A tree splits all rows at once, so the search starts elsewhere.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from threading import Lock

import numpy as np
from numpy.typing import NDArray

from conceptrules.kernels.search.growth import edges_of
from conceptrules.kernels.search.values import ANYTHING, CODES, LONGEST, Columns, Limits, Rows, Rules, empty_rules

_CELLS = 2**25
"""The most inputs of a tree times rows, four bytes each."""
_ONE_AT_A_TIME = Lock()
"""scikit-learn changes the filters of warnings, which all threads share."""
_NUMBER = -1

Conditions = Mapping[int, NDArray[np.bool_]]
"""The codes that are allowed, by column."""


def has_rows_for_trees(rows: Rows) -> bool:
    """Return whether a class has two different rows on average: with fewer, scikit-learn's trees warn."""
    return bool(np.count_nonzero(rows.mass) >= 2 * np.count_nonzero(rows.mass.any(axis=0)))


def can_grow_tree(rows: Rows, columns: Columns) -> bool:
    """Return whether a tree can be grown: it cannot keep a policy, and its inputs have to fit into memory."""
    free = bool((columns.may_ask == ANYTHING).all()) and not columns.apart.size and not len(rows.groups.total)
    return free and has_rows_for_trees(rows) and int(np.count_nonzero(rows.mass)) * len(_list_inputs(columns)) <= _CELLS


def grow_tree_rules(rows: Rows, columns: Columns, limits: Limits, leaves: int, default: int, seed: int) -> Rules:
    """Return the leaves of a tree as rules, as far as the limits allow; the default class needs none."""
    rules, used, cost = empty_rules(min(leaves, limits.rules)), 0, 0.0
    for owner, conditions in _list_leaves(rows, columns, leaves, limits.negation, seed):
        sizes = [
            int(edges_of(codes.view(np.uint8), columns.bins[j], columns.ordered[j])) for j, codes in conditions.items()
        ]
        named = max((size for j, size in zip(conditions, sizes, strict=True) if not columns.ordered[j]), default=0)
        more = 1 + sum(size * float(columns.cost[j]) for j, size in zip(conditions, sizes, strict=True))
        if not 0 < len(sizes) <= LONGEST or sum(sizes) > limits.conditions or named > limits.categories:
            continue
        if owner == default or used == len(rules.owner) or cost + more > limits.edges:
            continue
        rules.owner[used], rules.length[used] = owner, len(sizes)
        for number, (j, codes) in enumerate(conditions.items()):
            rules.column[used, number], rules.allowed[used, number], rules.size[used, number] = j, codes, sizes[number]
        used, cost = used + 1, cost + more
    return Rules(rules.owner[:used], rules.length[:used], rules.column[:used], rules.allowed[:used], rules.size[:used])


def _list_inputs(columns: Columns) -> list[tuple[int, int]]:
    """Return the inputs of a tree: a column with an order, or a column and one of its categories."""
    inputs = []
    for j, (bins, ordered) in enumerate(zip(columns.bins.tolist(), columns.ordered.tolist(), strict=True)):
        inputs += [(j, _NUMBER)] if ordered else [(j, category) for category in range(bins)]
    return inputs


def _list_leaves(
    rows: Rows, columns: Columns, leaves: int, negation: bool, seed: int
) -> Iterator[tuple[int, Conditions]]:
    """Yield the class and the conditions of each leaf that can be a rule."""
    from sklearn.tree import DecisionTreeClassifier  # it loads half of scikit-learn, which an import of ours need not

    inputs, (row, label) = _list_inputs(columns), np.nonzero(rows.mass)
    with _ONE_AT_A_TIME:
        values = np.empty((len(row), len(inputs)), np.float32)
        for number, (j, category) in enumerate(inputs):
            values[:, number] = rows.codes[row, j] if category == _NUMBER else rows.codes[row, j] == category
        grown = DecisionTreeClassifier(max_leaf_nodes=max(leaves, 2), random_state=seed)
        tree = grown.fit(values, label, rows.mass[row, label]).tree_
    codes, waiting = np.arange(CODES), [(0, dict[int, NDArray[np.bool_]]())]
    while waiting:
        node, conditions = waiting.pop()
        if tree.children_left[node] < 0:
            narrowed = {j: allowed for j, allowed in conditions.items() if not allowed[: columns.bins[j]].all()}
            if all(allowed.any() for allowed in narrowed.values()):
                yield int(grown.classes_[tree.value[node, 0].argmax()]), narrowed
            continue
        j, category = inputs[tree.feature[node]]
        bins = columns.bins[j]
        # Intervals never hold on a missing value; leaving a category out does, where rules may say `not`.
        known = conditions.get(j, codes < (bins if category == _NUMBER or not negation else bins + 1))
        left = codes <= tree.threshold[node] if category == _NUMBER else codes != category
        waiting += [(tree.children_left[node], {**conditions, j: known & left})]
        waiting += [(tree.children_right[node], {**conditions, j: known & ~left})]
