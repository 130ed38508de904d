"""Which rules of two networks are the same, which were changed, and which are in one of them only."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from conceptrules.model.conditions import Condition, conditions
from conceptrules.model.network import RuleNetwork
from conceptrules.model.text import concept_name, condition_text, word

T = TypeVar("T")
RuleText = frozenset[tuple[str, str]]
"""A rule as the text of each condition, with its column or concept; concepts have their name in the old network."""
Rules = frozenset[RuleText]
_NONE: Rules = frozenset()
_MOST_PAIRS = 1_000_000  # of rules or concepts to compare: a few seconds
_ALIKE = 0.5  # half of the literals the same, or all of them on the same columns


@dataclass(frozen=True, slots=True)
class Section:
    """The rules of one class, or of one concept, as far as they differ."""

    name: str
    added: tuple[str, ...]
    removed: tuple[str, ...]
    changed: tuple[tuple[str, str], ...]
    """The rules that were changed: each with the one that is most like it, as (old, new)."""


def sections(old: RuleNetwork, new: RuleNetwork) -> tuple[Section, ...]:
    """Return the classes whose rules differ, and then the concepts that their rules name."""
    below: list[Section] = []
    names: list[Mapping[int, str]] = [{}]  # what the literals of each level of `new` are called here
    for depth in range(max(len(old.levels), len(new.levels)) - 1):
        found, renamed = _matched(depth, _hidden(old, depth, {}), _hidden(new, depth, names[depth]))
        below, names = below + found, [*names, renamed]
    ours = dict(zip(old.classes, _concepts(old, len(old.levels) - 1, {}), strict=True))
    theirs = dict(zip(new.classes, _concepts(new, len(new.levels) - 1, names[len(new.levels) - 1]), strict=True))
    top = [
        _section(word(name), ours.get(name, _NONE), theirs.get(name, _NONE))
        for name in dict.fromkeys([*old.classes, *new.classes])
    ]
    return tuple(section for section in [*top, *below] if section.added or section.removed or section.changed)


def _matched(depth: int, ours: Sequence[Rules], theirs: Sequence[Rules]) -> tuple[list[Section], dict[int, str]]:
    """Pair the concepts of a level by what they share; return their sections, and names for those of `theirs`."""
    pairs = _best_pairs(ours, theirs, _closeness, above=0)
    partner = {j: i for i, j in pairs}
    name = {j: f"new {concept_name(depth, j)}" for j in range(len(theirs))}
    name |= {j: concept_name(depth, i) for j, i in partner.items()}
    alone = sorted(set(range(len(ours))) - set(partner.values()))
    found = [_section(concept_name(depth, i), ours[i], theirs[j]) for i, j in sorted(pairs)]
    found += [_section(concept_name(depth, i), ours[i], _NONE) for i in alone]
    found += [_section(name[j], _NONE, theirs[j]) for j in range(len(theirs)) if j not in partner]
    return found, name


def _hidden(network: RuleNetwork, depth: int, names: Mapping[int, str]) -> list[Rules]:
    """Return the concepts of a level below the classes, each as its rules."""
    return _concepts(network, depth, names) if depth < len(network.levels) - 1 else []


def _concepts(network: RuleNetwork, depth: int, names: Mapping[int, str]) -> list[Rules]:
    """Return the rules of each concept of a level."""
    level = network.levels[depth]

    def words(condition: Condition) -> tuple[str, str]:
        literal = condition.literals[0]
        if not depth:
            return condition_text(network, 0, condition), network.predicates[literal.index].column
        name = names.get(literal.index, concept_name(depth - 1, literal.index))
        return f"not {name}" if literal.negated else name, name

    rules = [frozenset(map(words, conditions(network, depth, rule.literals))) for rule in level.rules]
    return [frozenset(rules[rule] for rule in concept.rules) for concept in level.concepts]


def _section(name: str, ours: Rules, theirs: Rules) -> Section:
    removed, added = sorted(ours - theirs, key=_text), sorted(theirs - ours, key=_text)
    pairs = sorted(_best_pairs(removed, added, _likeness, above=_ALIKE))
    before, after = {i for i, _ in pairs}, {j for _, j in pairs}
    return Section(
        name,
        tuple(_text(rule) for j, rule in enumerate(added) if j not in after),
        tuple(_text(rule) for i, rule in enumerate(removed) if i not in before),
        tuple((_text(removed[i]), _text(added[j])) for i, j in pairs),
    )


def _best_pairs(
    ours: Sequence[T], theirs: Sequence[T], score: Callable[[T, T], float], above: float
) -> list[tuple[int, int]]:
    """Return the best pair first, then the best of what is left; none that scores 0, or less than `above`."""
    if len(ours) * len(theirs) > _MOST_PAIRS:
        return []
    scored = [(score(one, other), -i, -j) for i, one in enumerate(ours) for j, other in enumerate(theirs)]
    before, after = dict[int, int](), dict[int, int]()
    for points, i, j in sorted(scored, reverse=True):
        if points > 0 and points >= above and -i not in before and -j not in after:
            before[-i], after[-j] = -j, -i
    return list(before.items())


def _closeness(ours: Rules, theirs: Rules) -> float:
    """Return how alike two concepts are: equal rules count, then equal literals; two without rules are the same too."""
    if ours == theirs:
        return 2.0
    return _shared(ours, theirs) + _shared(frozenset().union(*ours), frozenset().union(*theirs)) / 2


def _likeness(ours: RuleText, theirs: RuleText) -> float:
    """Return how alike two rules are: 1 for each literal in both, 1/2 for one on the same column."""
    same = ours & theirs
    near = len({subject for _, subject in ours - same} & {subject for _, subject in theirs - same})
    return (len(same) + near / 2) / max(len(ours), len(theirs), 1)


def _text(rule: RuleText) -> str:
    return " and ".join(sorted(text for text, _ in rule)) or "always"


def _shared(ours: Collection[object], theirs: Collection[object]) -> float:
    together = len(set(ours) | set(theirs))
    return len(set(ours) & set(theirs)) / together if together else 0.0
