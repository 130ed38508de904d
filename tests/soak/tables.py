"""Tables that nobody would make on purpose: a fit works on every row of them, or gets an error of ours.

The error names a column of the table, unless it comes just the same from a table with one sound column.
"""

from __future__ import annotations

import time
import warnings
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
from hypothesis import HealthCheck, Phase, given, note, seed, settings

from conceptrules import ConceptRuleClassifier, ConceptRulesError
from conceptrules.io.model_file import dumps, loads
from conceptrules.model.errors import ConceptRulesWarning
from tests.people import quick_mllp, quick_search
from tests.strategies_bad_tables import Case, bad_tables, many_classes, wide

LEARNERS: dict[str, Callable[..., Any]] = {
    "default": lambda **given: ConceptRuleClassifier(random_state=0, n_jobs=1, **given),
    "fast": quick_search,
    "mllp": lambda **given: quick_mllp(layers=(4,), binarization_rate=0.5, max_epochs=3, n_jobs=1, **given),
}
_TURNS = ("default", "fast", "mllp", "fast", "mllp")
"""A fifth of the tables is learned with the settings that users have."""
EACH = 50
"""Tables of one turn."""
_WIDE, _CLASSES = 5_000, 200


def main(minutes: float, start: int = 0) -> None:
    """Draw tables until the time is over, beginning with a turn: other tables than those of the turns before it."""
    end, tried = time.monotonic() + 60 * minutes, Counter[str]()
    tried[check(many_classes(_CLASSES, 4, start), "fast")] += 1
    turn = start
    while turn == start or time.monotonic() < end:
        tried += attacked(_TURNS[turn % len(_TURNS)], turn, EACH)
        if turn % 40 == 0:
            tried[check(wide(_WIDE, 30, turn), "fast")] += 1
            tried[check(many_classes(_CLASSES, 4, turn), "mllp")] += 1
        turn += 1
        if turn % len(_TURNS) == 0:
            print(_told(tried, turn), flush=True)
    print(_told(tried, turn))


def _told(tried: Counter[str], turn: int) -> str:
    each = "; ".join(f"{count:,} {outcome}" for outcome, count in sorted(tried.items()))
    return f"{tried.total():,} tables tried, none failed: {each}; go on with --start {turn}"


def attacked(learner: str, turn: int, count: int) -> Counter[str]:
    """Draw so many tables, others in each turn, and return what came of them."""
    tried = Counter[str]()

    @seed(turn)
    @settings(
        max_examples=count,
        deadline=None,
        database=None,
        suppress_health_check=list(HealthCheck),
        phases=(Phase.generate, Phase.shrink),
    )
    @given(bad_tables())
    def attack(case: Case) -> None:
        note(case.story)
        tried[check(case, learner)] += 1

    attack()
    return tried


def check(case: Case, learner: str) -> str:
    """Fit a table, and return what came of it; raise an error unless the promise holds."""
    made = LEARNERS[learner](class_weight=case.class_weight)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            _fitted(made, case)
            outcome = "fitted"
        except ConceptRulesError as error:
            _check_error(str(error), case, learner)
            outcome = "refused"
    leaked = [one for one in caught if not issubclass(one.category, ConceptRulesWarning)]
    assert not leaked, f"{leaked[0].category.__name__} of {leaked[0].filename}:{leaked[0].lineno}: {leaked[0].message}"
    return f"{outcome} by {learner}"


def _fitted(made: Any, case: Case) -> None:
    """Fit, and use the model on all rows in every way."""
    model = made.fit(case.X, case.y, **case.given)
    answers, chances = model.predict(case.X), model.predict_proba(case.X)
    assert answers.shape == (case.rows,), "not an answer for each row"
    assert np.isin(answers, model.classes_).all(), "an answer that is no class"
    assert np.isfinite(chances).all(), "a probability that is no number"
    assert np.allclose(chances.sum(axis=1), 1), "probabilities that do not sum to 1"
    network = model.network_
    assert str(network), "no text"
    again = loads(dumps(network))
    assert again == network, "another network after saving and loading"
    assert (again.predict(case.X) == answers).all(), "other answers after saving and loading"
    row = _one_row(case.X)
    explained = model.explain(row)
    assert explained.label == answers[0], "the explanation is of another answer"
    assert str(explained), "no text of the explanation"


def _one_row(X: Any) -> Any:
    return X[:1] if isinstance(X, np.ndarray) or not isinstance(X, list) else X[0]


def _check_error(said: str, case: Case, learner: str) -> None:
    """An error names a column, or it is not about one: a sound column in place of all others gets it too."""
    if not case.columns or any(repr(name) in said for name in case.columns):
        return
    sound = [[number % 5] for number in range(case.rows)]
    other = ""
    try:
        LEARNERS[learner](class_weight=case.class_weight).fit(sound, case.y, **case.given)
    except ConceptRulesError as error:
        other = str(error)
    assert _kind(other) == _kind(said), f"no column is named: {said}"


def _kind(said: str) -> str:
    """Return the beginning of a message, which does not depend on the table."""
    return " ".join(said.split()[:3])
