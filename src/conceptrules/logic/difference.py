"""What differs between two networks: their rules one by one, what surrounds them, and what follows for all rows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar
from typing import Literal as Choice

from numpy.typing import NDArray

from conceptrules.logic.equivalence import (
    WORK,
    Row,
    find_counterexample,
    find_difference,
    list_meanings,
    require_alike,
)
from conceptrules.logic.solver import Undecided
from conceptrules.model.card import points_of, write_points
from conceptrules.model.conditions import Condition, conditions
from conceptrules.model.errors import InputError
from conceptrules.model.network import RuleNetwork
from conceptrules.model.predicate import Value, finite_bounds
from conceptrules.model.text import concept_name, condition_text, number_text, word
from conceptrules.tables.prediction import find_scores, predict

T = TypeVar("T")
RuleText = frozenset[tuple[str, str]]
"""A rule as the text of each condition, with its column or concept; concepts have their name in the old network."""
Rules = frozenset[RuleText]

_NO_RULES: Rules = frozenset()
_MAX_PAIRS = 1_000_000  # of rules or concepts to compare: a few seconds
_SHOWN = 5  # rows that a comparison of answers keeps
_MIN_SIMILARITY = 0.5  # half of the literals the same, or all of them on the same columns


@dataclass(frozen=True, slots=True)
class RuleChanges:
    """The rules of one class, or of one concept, as far as they differ."""

    name: str
    added: tuple[str, ...]
    removed: tuple[str, ...]
    changed: tuple[tuple[str, str], ...]
    """The rules that were changed: each with the one that is most like it, as (old, new)."""


@dataclass(frozen=True, slots=True)
class ClassImplications:
    """How the rules of one class that both networks have compare; None where that is undecided."""

    name: Value
    """The class."""
    old_implies_new: bool | None
    """Whether the class fires in the new network wherever it fires in the old one."""
    new_implies_old: bool | None
    """Whether the class fires in the old network wherever it fires in the new one."""


@dataclass(frozen=True, slots=True)
class RowChanges:
    """What the two networks decide on the rows of a table, or what scores they give them."""

    rows: int
    """The number of rows."""
    different: int
    """The number of rows that get different classes."""
    first: tuple[tuple[int, Value, Value], ...]
    """The first few of these: the number of the row, its old and its new class."""


@dataclass(frozen=True, slots=True)
class Difference:
    """What differs between two networks."""

    settings: tuple[tuple[str, str, str], ...]
    """What surrounds the rules and differs (classes, priority, default, columns, cut points): its name, old, new."""
    sections: tuple[RuleChanges, ...]
    """The rules that differ, for each class and concept."""
    logic: tuple[ClassImplications, ...]
    """How the rules of each class that both have compare."""
    same: bool | None
    """Whether all rows get the same class, or the same scores; None if that is not decided."""
    reason: str | None
    """Why it is not decided."""
    row: Row | None
    """A row that gets different classes or scores."""
    decisions: tuple[Value, Value] | None
    """The old and the new class, or number, of that row."""
    data: RowChanges | None = None
    """What the two decide on the rows of a table, if one was given."""
    compared: Choice["class", "scores", "number"] = "class"
    """What is compared: classes, or the scores of scorecards, which of a predicted number settle the number."""
    scores: tuple[tuple[int, ...], tuple[int, ...]] | None = None
    """The old and the new scores of that row, of scorecards."""
    score_data: RowChanges | None = None
    """What scores the two give the rows of that table, of scorecards for two classes."""


def diff(old: RuleNetwork, new: RuleNetwork, *, table: Any = None) -> Difference:
    """Compare two networks: rule by rule, what surrounds the rules, and what they decide.

    Parameters
    ----------
    old, new : RuleNetwork
        The networks to compare.
    table : table, optional
        Rows that both networks are to decide as well.

    Returns
    -------
    Difference
        What differs, and whether all rows get the same class, or the same scores: this is proved.

    Examples
    --------
    >>> from conceptrules.model import Column, Concept, Interval, Level, Literal, Rule
    >>> def older(age):
    ...     level = Level([Rule([Literal(0)])], [Concept([0]), Concept()])
    ...     return RuleNetwork([Column("age")], [Interval("age", age)], [level], ["old", "young"], default="young")
    >>> difference = diff(older(27), older(41))
    >>> difference.same, difference.row, difference.decisions
    (False, {'age': 41.0}, ('old', 'young'))
    """
    require_alike(old, new, "the comparison of two models")
    same: bool | None = None
    row, reason, decisions = None, None, None
    try:
        row = find_difference(old, new, work=WORK)
        same = row is None
    except (Undecided, InputError) as error:
        reason = str(error)
    scores = None
    if row is not None:
        before, after = ([{column.name: row[column.name] for column in network.columns}] for network in (old, new))
        decisions = (predict(old, before).tolist()[0], predict(new, after).tolist()[0])
        if old.head is not None:
            scores = (tuple(find_scores(old, before)[0].tolist()), tuple(find_scores(new, after)[0].tolist()))
    implications = tuple(
        ClassImplications(name, _decide_implication(old, new, name), _decide_implication(new, old, name))
        for name in old.classes
        if name in new.classes and old.head is None
    )
    data = (None, None) if table is None else compare_tables(old, new, table, table)
    return Difference(
        _compare_settings(old, new), compare_rules(old, new), implications, same, reason, row, decisions, data[0],
        "class" if old.head is None else "scores" if old.classes else "number", scores, data[1],
    )  # fmt: skip


def compare_tables(old: RuleNetwork, new: RuleNetwork, before: Any, after: Any) -> tuple[RowChanges, RowChanges | None]:
    """Compare what two networks predict for the rows of a table, which each reads by itself, and the scores if there is
    one for two classes.
    """
    answers = _compare_answers(predict(old, before), predict(new, after))
    if old.head is None or (len(old.classes), len(new.classes)) != (2, 2):
        return answers, None
    return answers, _compare_answers(find_scores(old, before)[:, 0], find_scores(new, after)[:, 0])


def _compare_answers(before: NDArray[Any], after: NDArray[Any]) -> RowChanges:
    """Compare what two networks predict for the rows of a table, and keep the first that differ."""
    pairs = list(zip(before.tolist(), after.tolist(), strict=True))
    changed = [row for row, (old, new) in enumerate(pairs) if old != new]
    return RowChanges(len(pairs), len(changed), tuple((row, *pairs[row]) for row in changed[:_SHOWN]))


def _decide_implication(first: RuleNetwork, second: RuleNetwork, name: Value) -> bool | None:
    try:
        return find_counterexample(first, second, name, work=WORK) is None
    except (Undecided, InputError):
        return None


# What surrounds the rules


def _compare_settings(old: RuleNetwork, new: RuleNetwork) -> tuple[tuple[str, str, str], ...]:
    return tuple(
        (name, ours.get(name, "none"), theirs.get(name, "none"))
        for ours, theirs in zip(_list_settings(old), _list_settings(new), strict=True)
        for name in dict.fromkeys([*ours, *theirs])
        if ours.get(name) != theirs.get(name)
    )


def _list_settings(network: RuleNetwork) -> tuple[dict[str, str], ...]:
    """Return what surrounds the rules, by name: the classes, the kind of each column, and the bounds that rules use.

    Of ordinal columns the order counts too, which decides what `rank <= b` means.
    """
    classes = {"classes": _join(network.classes)}
    if network.head is None:
        classes |= {"priority": _join(network.priority), "default": str(network.default)}
    else:
        classes |= {"the base": _join(network.head.base), **list_meanings(network.head)}
    kinds, cuts = dict[str, str](), dict[str, str]()
    for column in network.columns:
        order = " < ".join(map(word, column.categories))
        kinds[f"column {column.name!r}"] = f"ordinal ({order})" if column.kind == "ordinal" else column.kind
    for name, indices in network.used_columns.items():
        if bounds := finite_bounds(network.predicates[index] for index in indices):
            cuts[f"cut points of {name!r}"] = _join(map(number_text, bounds))
    return classes, kinds, cuts


def _join(values: Iterable[object]) -> str:
    return ", ".join(map(str, values))


# Which rules are the same, which were changed, and which are in one network only


def compare_rules(old: RuleNetwork, new: RuleNetwork) -> tuple[RuleChanges, ...]:
    """Return the classes whose rules differ, and then the concepts that their rules name."""
    if old.head is not None:
        return _compare_points(old, new)
    below: list[RuleChanges] = []
    names: list[Mapping[int, str]] = [{}]  # what the literals of each level of `new` are called here
    for depth in range(max(len(old.levels), len(new.levels)) - 1):
        # Concepts below the classes; a network of fewer levels has none.
        ours = _list_concepts(old, depth, {}) if depth < len(old.levels) - 1 else []
        theirs = _list_concepts(new, depth, names[depth]) if depth < len(new.levels) - 1 else []
        changes, matched_names = _match_concepts(depth, ours, theirs)
        below += changes
        names.append(matched_names)
    last = len(new.levels) - 1
    old_classes = dict(zip(old.classes, _list_concepts(old, len(old.levels) - 1, {}), strict=True))
    new_classes = dict(zip(new.classes, _list_concepts(new, last, names[last]), strict=True))
    top = [
        _compare_concepts(word(name), old_classes.get(name, _NO_RULES), new_classes.get(name, _NO_RULES))
        for name in dict.fromkeys([*old.classes, *new.classes])
    ]
    return tuple(changes for changes in [*top, *below] if changes.added or changes.removed or changes.changed)


def _compare_points(old: RuleNetwork, new: RuleNetwork) -> tuple[RuleChanges, ...]:
    """Return the rules of two scorecards that differ, or have other points; those that read alike are one."""
    ours, theirs = _sum_points(old), _sum_points(new)

    def tell_old(rule: RuleText) -> str:
        return f"{_text_of(rule)}: {ours[rule]}"

    def tell_new(rule: RuleText) -> str:
        return f"{_text_of(rule)}: {theirs[rule]}"

    changes = _compare_concepts("rules", frozenset(ours), frozenset(theirs), tell_old, tell_new)
    moved = sorted((rule for rule in ours.keys() & theirs.keys() if ours[rule] != theirs[rule]), key=_text_of)
    changed = (*((tell_old(rule), tell_new(rule)) for rule in moved), *changes.changed)
    return (replace(changes, changed=changed),) if changes.added or changes.removed or changed else ()


def _sum_points(network: RuleNetwork) -> dict[RuleText, str]:
    """Return the points of the rules of a scorecard as text, by the rule."""
    head, sums = points_of(network), dict[RuleText, tuple[int, ...]]()
    for rule, points in zip(_list_rules(network, 0, {}), head.points, strict=True):
        sums[rule] = tuple(map(sum, zip(sums.get(rule, (0,) * head.outputs), points, strict=True)))
    return {rule: write_points(network, points) or "0" for rule, points in sums.items()}


def _match_concepts(
    depth: int, ours: Sequence[Rules], theirs: Sequence[Rules]
) -> tuple[list[RuleChanges], dict[int, str]]:
    """Pair the concepts of a level by what they share; return their changes, and names for those of `theirs`."""
    pairs = _find_best_pairs(ours, theirs, _compare_meaning, above=0)
    partner = {theirs_index: ours_index for ours_index, theirs_index in pairs}
    names = {
        index: concept_name(depth, partner[index]) if index in partner else f"new {concept_name(depth, index)}"
        for index in range(len(theirs))
    }
    alone = sorted(set(range(len(ours))) - set(partner.values()))
    changes = [_compare_concepts(concept_name(depth, i), ours[i], theirs[j]) for i, j in sorted(pairs)]
    changes += [_compare_concepts(concept_name(depth, i), ours[i], _NO_RULES) for i in alone]
    changes += [_compare_concepts(names[j], _NO_RULES, theirs[j]) for j in range(len(theirs)) if j not in partner]
    return changes, names


def _list_concepts(network: RuleNetwork, depth: int, names: Mapping[int, str]) -> list[Rules]:
    """Return the rules of each concept of a level."""
    rules = _list_rules(network, depth, names)
    return [frozenset(rules[rule] for rule in concept.rules) for concept in network.levels[depth].concepts]


def _list_rules(network: RuleNetwork, depth: int, names: Mapping[int, str]) -> list[RuleText]:
    """Return the rules of a level."""

    def describe(condition: Condition) -> tuple[str, str]:
        literal = condition.literals[0]
        if not depth:
            return condition_text(network, 0, condition), network.predicates[literal.index].column
        name = names.get(literal.index, concept_name(depth - 1, literal.index))
        return f"not {name}" if literal.negated else name, name

    return [frozenset(map(describe, conditions(network, depth, rule.literals))) for rule in network.levels[depth].rules]


def _text_of(rule: RuleText) -> str:
    return " and ".join(sorted(text for text, _ in rule)) or "always"


def _compare_concepts(
    name: str,
    ours: Rules,
    theirs: Rules,
    tell_old: Callable[[RuleText], str] = _text_of,
    tell_new: Callable[[RuleText], str] = _text_of,
) -> RuleChanges:
    removed, added = sorted(ours - theirs, key=_text_of), sorted(theirs - ours, key=_text_of)
    pairs = sorted(_find_best_pairs(removed, added, _compare_literals, above=_MIN_SIMILARITY))
    before, after = {i for i, _ in pairs}, {j for _, j in pairs}
    return RuleChanges(
        name,
        tuple(tell_new(rule) for j, rule in enumerate(added) if j not in after),
        tuple(tell_old(rule) for i, rule in enumerate(removed) if i not in before),
        tuple((tell_old(removed[i]), tell_new(added[j])) for i, j in pairs),
    )


def _find_best_pairs(
    ours: Sequence[T], theirs: Sequence[T], similarity: Callable[[T, T], float], above: float
) -> list[tuple[int, int]]:
    """Return the best pair first, then the best of what is left; none that scores 0, or less than `above`."""
    if len(ours) * len(theirs) > _MAX_PAIRS:
        return []
    scored = [(similarity(old, new), -i, -j) for i, old in enumerate(ours) for j, new in enumerate(theirs)]
    before, after = dict[int, int](), dict[int, int]()
    for score, i, j in sorted(scored, reverse=True):
        if score > 0 and score >= above and -i not in before and -j not in after:
            before[-i], after[-j] = -j, -i
    return list(before.items())


def _compare_meaning(ours: Rules, theirs: Rules) -> float:
    """Return how alike two concepts are: equal rules count, then equal literals; two without rules are the same too."""
    if ours == theirs:
        return 2.0
    literals, other_literals = frozenset[tuple[str, str]]().union(*ours), frozenset[tuple[str, str]]().union(*theirs)
    shared = len(literals & other_literals) / (len(literals | other_literals) or 1)
    return len(ours & theirs) / len(ours | theirs) + shared / 2


def _compare_literals(ours: RuleText, theirs: RuleText) -> float:
    """Return how alike two rules are: 1 for each literal in both, 1/2 for one on the same column."""
    same = ours & theirs
    near = len({subject for _, subject in ours - same} & {subject for _, subject in theirs - same})
    return (len(same) + near / 2) / max(len(ours), len(theirs), 1)
