"""What the report says in sentences: what a model does, whether the test of it is fair, and what was tuned on what."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal as Choice

from conceptrules.draw.appearance import shorten
from conceptrules.explain.auditing import Audit, Overlap
from conceptrules.explain.measurement import Bin
from conceptrules.explain.number_scores import NumberEvaluation
from conceptrules.explain.scores import Evaluation
from conceptrules.model.card import card_sentences, gap_sentence, positive_text
from conceptrules.model.network import RuleNetwork
from conceptrules.model.predicate import Value
from conceptrules.model.provenance import Training, Validation
from conceptrules.model.text import percent, plural, word
from conceptrules.model.values import order_classes

MOST = 6  # names in a sentence
LONGEST = 40  # letters of a name in a sentence
FEW = 0.05  # so many of new rows may well be equal to training rows where columns are few or coarse
_SOURCES = {
    "held back": "held back from the training rows",
    "given": "given for validation",
    "training": "the training rows themselves, since none could be held back",
}
_CHOSEN_ON_TRAINING = "Which class wins, the answer for everything else and the cut points come from the training rows."
_CHOSEN_FOR_CARDS = (
    "The probabilities and what decides the class were fitted to the same rows; the cut points come from the training "
    "rows."
)
_MIXED = (
    " The rules were learned from mixed rows as well, with the classes that a forest expects of them; "
    "all figures are of rows of the table."
)


@dataclass(frozen=True, slots=True)
class TestFairness:
    """Whether the scores are of rows that the model had not seen."""

    kind: Choice["good", "bad", "open"]
    short: str
    title: str
    text: str


def three_sentences(network: RuleNetwork, audit: Audit) -> tuple[str, str, str]:
    """Return what the model looks at, how it decides, and how well it does."""
    return _describe_scope(network, len(audit.unused)), _describe_decision(network), _describe_scores(network, audit)


def join_names(names: Sequence[str], last: str = "and") -> str:
    """Join names to a part of a sentence.

    >>> join_names(["a", "b", "c"], "or"), join_names(list("abcdefghi"))
    ('a, b or c', 'a, b, c, d, e, f and 3 more')
    """
    names = [shorten(name, LONGEST) for name in names]
    if len(names) > MOST:
        return f"{', '.join(names[:MOST])} and {len(names) - MOST} more"
    return f" {last} ".join(filter(None, [", ".join(names[:-1]), *names[-1:]]))


def _brief(name: Value) -> str:
    return shorten(word(name), LONGEST)


def _describe_scope(network: RuleNetwork, unused: int) -> str:
    asked = len(network.own_columns) - unused
    if network.head is not None:
        return _describe_card_scope(network, asked, unused)
    classes = [word(name) for name in order_classes(network.classes)]
    of = f"{asked} of the {plural(len(network.own_columns), 'column')}" if unused else plural(asked, "column")
    if not asked:
        return f"This model looks at nothing: it answers {_brief(network.default)} for every row."
    answer = f"one of {plural(len(classes), 'class', 'classes')}" if len(classes) > 1 else "the only class"
    return f"This model looks at {of} of a row and answers with {answer}: {join_names(classes, 'or')}."


def _describe_card_scope(network: RuleNetwork, asked: int, unused: int) -> str:
    of = f"{asked} of the {plural(asked + unused, 'column')}" if unused else plural(asked, "column")
    looks = f"looks at {of} of a row" if asked else "looks at nothing"
    if not network.classes:
        target = f", {shorten(word(network.target), LONGEST)}" if network.target else ""
        return f"This scorecard {looks} and predicts a number{target}."
    classes = join_names([word(name) for name in order_classes(network.classes)], "or")
    chance = (
        f"the chance of {shorten(positive_text(network), LONGEST)}" if len(network.classes) == 2 else "their chances"
    )
    return f"This scorecard {looks} and answers with {classes}, and with {chance}."


def _describe_decision(network: RuleNetwork) -> str:
    if network.head is not None:
        return " ".join([*card_sentences(network), gap_sentence(network)]).strip()
    firing = [name for name in network.priority if network.levels[-1].concepts[network.classes.index(name)].rules]
    default = _brief(network.default)
    if not firing:
        reason = f": no rule was better than always answering {default}" if network.training else ""
        return f"It has no rule for any class, so the answer is always {default}{reason}."
    if len(firing) == 1:
        count = len(network.levels[-1].concepts[network.classes.index(firing[0])].rules)
        if firing[0] != network.default:
            when = f"any of {count} rules holds" if count > 1 else "one rule holds"
            return f"The answer is {_brief(firing[0])} if {when}, and {default} for everything else."
        return f"Only {default} has rules, and it is the answer for everything else as well."
    order = join_names([word(name) for name in firing])
    all_have = len(firing) == len(network.classes)
    have = "Each class has rules of its own" if all_have else f"There are rules for {order}"
    return (
        f"{have}; where those of several classes hold, the first of "
        f"{order if all_have else 'these'} wins, and where none holds the answer is {default}."
    )


def _describe_scores(network: RuleNetwork, audit: Audit) -> str:
    if audit.scores is not None:
        return _describe_test(audit.scores, audit.overlap)
    if audit.numbers is not None:
        return _describe_errors(audit.numbers, audit.overlap)
    if not network.classes:
        return "This report was given no rows to test it on, so it cannot say how far off the predictions are."
    validation = audit.training.validation if audit.training else None
    if validation is not None and validation.source != "training":
        return (
            f"On the {plural(validation.rows, 'row')} that judged it during training its macro-F1 was "
            f"{validation.macro_f1:.3f}; this report was given no rows to test it on, so expect less."
        )
    return "This report was given no rows to test it on, so it cannot say how often the answers are right."


def _describe_errors(numbers: NumberEvaluation, overlap: Overlap | None) -> str:
    off = (
        f"On the {plural(numbers.rows, 'row')} given to this report it is off by {numbers.mae:.4g} in the mean, where "
        f"always answering their mean is off by {numbers.mean_mae:.4g}"
    )
    if overlap is None:
        return f"{off}; whether it learned from these rows was not recorded."
    if overlap.rows and overlap.share >= FEW:
        known = "all" if overlap.rows >= numbers.rows else percent(overlap.share)
        return f"{off}; but it learned from {known} of them, so that is not a fair test."
    return f"{off}; it learned from {'nearly ' if overlap.rows else ''}none of them."


def _describe_test(scores: Evaluation, overlap: Overlap | None) -> str:
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


def judge_fairness(audit: Audit) -> TestFairness:
    """Say whether the rows of the report were held out, as far as that is known."""
    if not audit.rows:
        return TestFairness("open", "no rows were given", "Not tested.", "No rows were given to this report.")
    if audit.overlap is None:
        return TestFairness(
            "open",
            "perhaps not held out",
            "Not known.",
            "The model file holds no fingerprint of the training rows: it cannot tell whether these were held out.",
        )
    return _judge_overlap(audit.overlap, audit.rows)


def _judge_overlap(overlap: Overlap, rows: int) -> TestFairness:
    about = "" if overlap.exact else "about "
    count = f"{about}{plural(overlap.rows, 'row')} of {rows:,} ({percent(overlap.share)})"
    if not overlap.rows:
        how = "" if overlap.exact else f", judged by a sample of {plural(overlap.sampled, 'row')}"
        return TestFairness("good", "on held-out rows", "Held out.", f"None of the rows is a training row{how}.")
    if overlap.share < FEW:
        text = f"But {count} are equal to training rows; some rows are equal by chance."
        return TestFairness("good", "on nearly all held-out rows", "Nearly all held out.", text)
    known = "All of these rows" if overlap.rows >= rows else f"{count[0].upper()}{count[1:]}"
    return TestFairness(
        "bad", "not held out", "Not held out.", f"{known} were training rows: new rows may score lower."
    )


def describe_source(validation: Validation | None) -> str:
    """Say where the validation rows are from."""
    return "" if validation is None else _SOURCES.get(validation.source, validation.source)


def describe_tuning(network: RuleNetwork, training: Training) -> str:
    """Say what was chosen, and on which rows."""
    validation = training.validation
    rows = f"{plural(round(validation.rows), 'row')} {describe_source(validation)}" if validation else ""
    chosen = _describe_choice(training) if network.head is None else "The size of the card was"
    if validation is None:
        return f"{chosen} chosen in training; on which rows was not recorded."
    return (
        f"{chosen} chosen by scores on {rows}. "
        f"{_CHOSEN_ON_TRAINING if network.head is None else _CHOSEN_FOR_CARDS} "
        "So scores on any of these rows flatter the model." + (_MIXED if training.augmented else "")
    )


def _describe_choice(training: Training) -> str:
    if training.rate is None or training.epoch is None:
        penalty = "" if training.edge_penalty is None else f" ({training.edge_penalty:g} rows)"
        return f"The edge penalty{penalty} was"
    rate, epoch = f"binarization rate ({training.rate:g})", f"epoch ({training.epoch})"
    if isinstance(dict(training.settings).get("binarization_rate"), int | float):
        return f"The {rate} was given. The {epoch} was"
    return f"The {rate} and the {epoch} were"


def find_reliability(audit: Audit) -> tuple[Bin, ...]:
    """Return the reliability on the rows of the report, or else as it was recorded at fit time."""
    if audit.scores is not None:
        return audit.scores.calibration
    validation = audit.training.validation if audit.training else None
    recorded = validation.reliability if validation else ()
    return tuple(Bin(mean, right, round(rows)) for mean, right, rows in recorded)
