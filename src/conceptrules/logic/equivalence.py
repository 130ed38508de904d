"""Whether two networks decide alike, or a class of one implies that of the other: decided for all rows, not sampled.

A row has one value or a gap in each column, so `job = nurse and job = smith` is impossible and so is an age both under
27 and over 41. Every answer comes with a row where there is one.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import product
from typing import Any

from conceptrules.logic.column_cells import cell_numbers, cells_of
from conceptrules.logic.policies.card_claims import CardSplitting, Term
from conceptrules.logic.policies.claims import FailingBox
from conceptrules.logic.policies.possible_rows import PossibleCells
from conceptrules.logic.solver import FALSE, TRUE, CellFormulas, Undecided
from conceptrules.model.card import chance_text
from conceptrules.model.errors import InputError
from conceptrules.model.heads import Points, require_decision
from conceptrules.model.network import RuleNetwork
from conceptrules.model.policy.policy import read_known_rule
from conceptrules.model.predicate import Value
from conceptrules.model.rule_reader import Stated, network_of_tests
from conceptrules.model.text import number_text

Row = dict[str, Any]
# Parts of formulas that one question may look at: about ten seconds. Counted, not timed, so that the answer is always
# the same.
WORK = 5_000_000
_MAX_LEVELS = 50  # levels; formulas are nested as deep as these


def implies(first: RuleNetwork, second: RuleNetwork, label: Value, *, work: int = WORK) -> bool:
    """Decide whether a class fires in the second network wherever it fires in the first.

    Parameters
    ----------
    first, second : RuleNetwork
        The networks to compare.
    label : class label
        The class.
    work : int, default=5_000_000
        How many parts of formulas to look at; the default takes about ten seconds.

    Returns
    -------
    bool
        True if it does on every row there can be: this is proved.

    Raises
    ------
    Undecided
        If the networks are too large for an answer within `work`.
    InputError
        If no table suits both networks.

    Examples
    --------
    >>> from conceptrules.model import Column, Concept, Interval, Level, Literal, Rule
    >>> def older(age):
    ...     level = Level((Rule((Literal(0),)),), (Concept((0,)), Concept()))
    ...     return RuleNetwork((Column("age"),), (Interval("age", age),), (level,), ("old", "young"), default="young")
    >>> implies(older(41), older(27), "old"), implies(older(27), older(41), "old")
    (True, False)
    """
    return find_counterexample(first, second, label, work=work) is None


def equivalent(first: RuleNetwork, second: RuleNetwork, *, work: int = WORK) -> bool:
    """Decide whether two networks give every row the same class, or two scorecards the same scores.

    Scorecards of which scores mean something else (another cut-off, other probabilities, another step) are undecided.

    Parameters
    ----------
    first, second : RuleNetwork
        The networks to compare.
    work : int, default=5_000_000
        How many parts of formulas to look at; the default takes about ten seconds.

    Returns
    -------
    bool
        True if they do on every row there can be: this is proved.

    Raises
    ------
    Undecided
        If the networks are too large for an answer within `work`.
    InputError
        If no table suits both networks.

    Examples
    --------
    >>> from conceptrules.model import Column, Concept, Interval, Level, Literal, Rule
    >>> def older(*ages):
    ...     level = Level([Rule([Literal(i)]) for i in range(len(ages))], [Concept(range(len(ages))), Concept()])
    ...     tests = [Interval("age", age) for age in ages]
    ...     return RuleNetwork([Column("age")], tests, [level], ["old", "young"], default="young")
    >>> equivalent(older(27, 41), older(27)), equivalent(older(27), older(41))
    (True, False)
    """
    return find_difference(first, second, work=work) is None


def find_difference(first: RuleNetwork, second: RuleNetwork, *, outside: str = "", work: int = WORK) -> Row | None:
    """Find a row to which two networks give different classes, or two scorecards different scores.

    Parameters
    ----------
    first, second : RuleNetwork
        The networks to compare.
    outside : str, optional
        A rule in words: rows on which it holds are not compared.
    work : int, default=5_000_000
        How many parts of formulas to look at; the default takes about ten seconds.

    Returns
    -------
    dict or None
        A value for each column of both networks; None stands for a missing value, and where the column does not matter.
        None if it is proved that there is no such row.

    Raises
    ------
    Undecided
        If the networks are too large for an answer within `work`.
    InputError
        If no table suits both networks, or one is a scorecard and the other is none.
    """
    require_alike(first, second, "the comparison of all possible rows")
    region = read_known_rule("outside", outside, first.columns) if outside else ()
    if first.head is not None and second.head is not None:
        return _find_other_scores(first, first.head, second, second.head, region, work)
    known = (network_of_tests(region, first.columns),) if outside else ()
    question = _Question((first, second, *known), work)
    ours, theirs = question.decisions(first), question.decisions(second)
    compared = question.changed_rules(first, second)
    if known:
        compared = question.all([compared, question.negate(question.layers(known[0])[-1][0])])
    return question.find_row((question.all([ours[name], compared]), theirs.get(name, FALSE)) for name in first.classes)


def find_counterexample(first: RuleNetwork, second: RuleNetwork, label: Value, *, work: int = WORK) -> Row | None:
    """Find a row on which a class fires in the first network and not in the second: a counterexample to `implies`.

    Parameters
    ----------
    first, second : RuleNetwork
        The networks to compare.
    label : class label
        The class.
    work : int, default=5_000_000
        How many parts of formulas to look at; the default takes about ten seconds.

    Returns
    -------
    dict or None
        A value for each column of both networks; None if it is proved that there is no such row.

    Raises
    ------
    Undecided
        If the networks are too large for an answer within `work`.
    InputError
        If no table suits both networks.
    """
    question = _Question((first, second), work)
    ours, theirs = question.firing(first), question.firing(second)
    return question.find_row([(ours.get(label, FALSE), theirs.get(label, FALSE))])


def _find_other_scores(
    first: RuleNetwork, ours: Points, second: RuleNetwork, theirs: Points, region: Sequence[Stated], work: int
) -> Row | None:
    """Return a row that gets other scores: the sum of the points of one less those of the other is not 0."""
    if first.classes != second.classes:
        raise InputError("the two scorecards have different classes; only scores for the same can be compared")
    known = (network_of_tests(region, first.columns),) if region else ()
    cells = cells_of((first, second, *known))
    space = {
        name: PossibleCells(each.column, each.values, (), (), (1 << len(each.values)) - 1)
        for name, each in cells.items()
    }
    left_out = [region] if region else []
    before, after = (CardSplitting(network, space, left_out, work) for network in (first, second))
    box = {name: each.possible for name, each in space.items()}
    for output, sign in product(range(ours.outputs), (1, -1)):
        terms = [Term(sign * row[output], region) for row, region in zip(ours.points, before.rules, strict=True)]
        terms += [Term(-sign * row[output], region) for row, region in zip(theirs.points, after.rules, strict=True)]
        failing = before.prove_sum(
            _join_terms(terms), before.impossible, sign * (theirs.base[output] - ours.base[output]), box
        )
        if isinstance(failing, FailingBox):
            row: Row = dict.fromkeys(column.name for network in (first, second) for column in network.columns)
            return row | {name: cells[name].raw(cell_numbers(mask)[0]) for name, mask in failing.cells.items()}
    fields = ("cutoff", "unit", "offsets", "step", "link")
    differ = any(getattr(ours, field) != getattr(theirs, field) for field in fields)
    if differ or _merge_steps(ours.probabilities) != _merge_steps(theirs.probabilities):
        raise Undecided("not decided: every row gets the same scores from both, but what scores mean differs")
    return None


def _join_terms(terms: Iterable[Term]) -> list[Term]:
    """Return terms with those of one region as one, without those that come to nothing: what two cards share goes."""
    weights: dict[tuple[tuple[str, int], ...], int] = {}
    for weight, region in terms:
        key = tuple(sorted(region.items()))
        weights[key] = weights.get(key, 0) + weight
    return [Term(weight, dict(region)) for region, weight in weights.items() if weight]


def _merge_steps(probabilities: Sequence[tuple[int, float]]) -> list[tuple[int | None, float]]:
    """Return the scores from which on the probability is another one; None stands for all below the second.

    >>> _merge_steps([(-5, 0.1), (0, 0.1), (3, 0.7), (9, 0.7)])
    [(None, 0.1), (3, 0.7)]
    """
    steps = [
        pair for pair, before in zip(probabilities, [(0, -1.0), *probabilities], strict=False) if pair[1] != before[1]
    ]
    return [(None if number == 0 else score, share) for number, (score, share) in enumerate(steps)]


def list_meanings(head: Points) -> dict[str, str]:
    """Return what gives scores their meaning, by name."""
    if head.step is not None:
        return {"the step": number_text(head.step), "the link": head.link}
    if head.probabilities:
        table = ", ".join(f"{chance_text(share)} from {score} on" for score, share in head.probabilities)
        return {"the cut-off": str(head.cutoff), "the probabilities": table}
    return {"the unit": number_text(head.unit), "the offsets": ", ".join(map(str, head.offsets))}


def require_alike(first: RuleNetwork, second: RuleNetwork, reader: str) -> None:
    """Raise an `InputError`, with the name of the reader, unless both are scorecards of one level, or none is."""
    if (first.head is None) != (second.head is None):
        raise InputError(f"{reader} needs two scorecards, or two networks that decide by the priority of their classes")
    if bool(first.classes) != bool(second.classes):
        raise InputError(f"{reader} needs two of a kind; one of these predicts a number, and the other a class")
    if first.head is not None and max(len(first.levels), len(second.levels)) > 1:
        raise InputError(f"{reader} knows scorecards of one level; the rules of one of these are about concepts")


class _Question(CellFormulas):
    """The formulas of networks over the cells of their columns."""

    def __init__(self, networks: Sequence[RuleNetwork], work: int) -> None:
        for network in networks:
            require_decision(network, "the comparison of all possible rows")
        if max(len(network.levels) for network in networks) > _MAX_LEVELS:
            raise Undecided(f"not decided: more than {_MAX_LEVELS} levels")
        super().__init__(cells_of(networks), work)
        self.names = dict.fromkeys(column.name for network in networks for column in network.columns)

    def firing(self, network: RuleNetwork) -> dict[Value, int]:
        """Return for each class the formula that says where it fires."""
        return dict(zip(network.classes, self.layers(network)[-1], strict=True))

    def decisions(self, network: RuleNetwork) -> dict[Value, int]:
        """Return for each class the formula that says where it is the answer."""
        firing, silent = self.firing(network), TRUE
        result = {}
        for name in network.priority:
            result[name] = self.all([silent, firing[name]])
            silent = self.all([silent, self.negate(firing[name])])
        result[network.default] = self.any([result[network.default], silent])
        return result

    def changed_rules(self, first: RuleNetwork, second: RuleNetwork) -> int:
        """Return a formula that is true wherever two networks can decide differently: where a rule of a class holds
        that only one of them has. It is true everywhere if they differ in more than the rules of classes.
        """
        if max(len(first.levels), len(second.levels)) > 1 or first.priority != second.priority:
            return TRUE
        if first.default != second.default:
            return TRUE
        changed: set[int] = set()
        rules = [self.layers(network)[1] for network in (first, second)]
        for name in first.classes:
            own = [
                {formulas[rule] for rule in network.levels[0].concepts[network.classes.index(name)].rules}
                for network, formulas in zip((first, second), rules, strict=True)
            ]
            changed |= own[0] ^ own[1]
        return self.any(changed)

    def find_row(self, questions: Iterable[tuple[int, int]]) -> Row | None:
        """Return a row on which the first formula of some pair is true and the second is not.

        In each column, it has the value of the first possible cell.
        """
        for yes, no in questions:
            cells = None if yes == no else self.find_cells([yes, self.negate(no)])
            if cells is not None:
                row: Row = dict.fromkeys(self.names)
                return row | {name: self.cells[name].raw(cell_numbers(mask)[0]) for name, mask in cells.items()}
        return None
