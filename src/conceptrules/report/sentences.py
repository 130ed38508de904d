"""What a model does, in three plain sentences."""

from __future__ import annotations

from collections.abc import Sequence

from conceptrules.draw.appearance import shorten
from conceptrules.explain.auditing import Audit, Overlap, Scores
from conceptrules.model.network import RuleNetwork
from conceptrules.model.predicate import Value
from conceptrules.model.text import percent, plural, word

MOST = 6  # names in a sentence
LONGEST = 40  # letters of a name in a sentence
FEW = 0.05  # so many of new rows may well be equal to training rows where columns are few or coarse


def three_sentences(network: RuleNetwork, audit: Audit) -> tuple[str, str, str]:
    """Return what the model looks at, how it decides, and how well it does."""
    return _what(network, len(audit.unused)), _how(network), _how_well(network, audit)


def listed(names: Sequence[str], last: str = "and") -> str:
    """Join names to a part of a sentence.

    >>> listed(["a", "b", "c"], "or"), listed(list("abcdefghi"))
    ('a, b or c', 'a, b, c, d, e, f and 3 more')
    """
    names = [shorten(name, LONGEST) for name in names]
    if len(names) > MOST:
        return f"{', '.join(names[:MOST])} and {len(names) - MOST} more"
    return f" {last} ".join(filter(None, [", ".join(names[:-1]), *names[-1:]]))


def _brief(name: Value) -> str:
    return shorten(word(name), LONGEST)


def _what(network: RuleNetwork, unused: int) -> str:
    asked = len(network.columns) - unused
    classes = [word(name) for name in network.classes]
    of = f"{asked} of the {plural(len(network.columns), 'column')}" if unused else plural(asked, "column")
    if not asked:
        return f"This model looks at nothing: it answers {_brief(network.default)} for every row."
    one = f"one of {plural(len(classes), 'class', 'classes')}" if len(classes) > 1 else "the only class"
    return f"This model looks at {of} of a row and answers with {one}: {listed(classes, 'or')}."


def _how(network: RuleNetwork) -> str:
    firing = [name for name in network.priority if network.levels[-1].concepts[network.classes.index(name)].rules]
    default = _brief(network.default)
    if not firing:
        found = f": no rule was better than always answering {default}" if network.training else ""
        return f"It has no rule for any class, so the answer is always {default}{found}."
    if len(firing) == 1:
        count = len(network.levels[-1].concepts[network.classes.index(firing[0])].rules)
        if firing[0] != network.default:
            when = f"any of {count} rules holds" if count > 1 else "one rule holds"
            return f"The answer is {_brief(firing[0])} if {when}, and {default} for everything else."
        return f"Only {default} has rules, and it is the answer for everything else as well."
    order = listed([word(name) for name in firing])
    all_have = len(firing) == len(network.classes)
    have = "Each class has rules of its own" if all_have else f"There are rules for {order}"
    return (
        f"{have}; where those of several classes hold, the first of "
        f"{order if all_have else 'these'} wins, and where none holds the answer is {default}."
    )


def _how_well(network: RuleNetwork, audit: Audit) -> str:
    if audit.scores is not None:
        return _scored(audit.scores, audit.overlap)
    validation = audit.training.validation if audit.training else None
    if validation is not None and validation.source != "training":
        return (
            f"On the {plural(validation.rows, 'row')} that chose it during training its macro-F1 was "
            f"{validation.macro_f1:.3f}; this report was given no rows to test it on, so expect less."
        )
    return "This report was given no rows to test it on, so it cannot say how often the answers are right."


def _scored(scores: Scores, overlap: Overlap | None) -> str:
    right = f"{percent(scores.accuracy)} of the {plural(scores.rows, 'row')} given to this report"
    commonest = max(map(sum, scores.confusion)) / scores.rows
    rival = f"always answering the commonest class would be right on {percent(commonest)}"
    if overlap is None:
        return f"It is right on {right} ({rival}); whether it learned from these rows was not recorded."
    if overlap.rows and overlap.share < FEW:
        return f"It is right on {right}, nearly all of which it had not seen before; {rival}."
    if overlap.rows:
        known = "all" if overlap.rows >= scores.rows else percent(overlap.share)
        return f"It is right on {right} ({rival}), but it learned from {known} of them, so that is not a fair test."
    return f"It is right on {right}, none of which it learned from; {rival}."
