"""What a fit records about itself, against what the fitted model says."""

from __future__ import annotations

import numpy as np
import pytest

from conceptrules import MLLPClassifier, datasets
from conceptrules.explain.auditing import audit
from conceptrules.io.model_file import dumps, loads


@pytest.fixture(scope="module")
def cells():
    data = datasets.load("breast-cancer")
    return data.X, data.y


def fitted(X, y, **settings):
    settings = {
        "layers": (8,),
        "max_epochs": 30,
        "random_state": 0,
        "binarization_rate": 0.7,
    } | settings
    extra = {name: settings.pop(name) for name in ("X_val", "y_val") if name in settings}
    return MLLPClassifier(**settings).fit(X, y, **extra)


def test_the_rows_that_chose_the_network_are_recorded(cells):
    clf = fitted(*cells)
    found = clf.network_.training.validation
    best = max(clf.history_, key=lambda score: (score["crs_f1"], score["training_f1"], -score["edges"]))
    assert found.source == "held back"
    assert found.rows == pytest.approx(0.2 * len(cells[1]), abs=2)
    assert (found.mllp_f1, found.macro_f1) == (best["mllp_f1"], best["crs_f1"])
    assert found.disagreement == best["disagreement"]
    assert sum(found.fires) == pytest.approx(1)
    assert sum(rows for _, _, rows in found.reliability) == found.rows


def test_rows_that_were_given_are_counted_as_they_are(cells):
    X, y = cells
    clf = fitted(X.slice(0, 400), y[:400], X_val=X.slice(400), y_val=y[400:])
    found = clf.network_.training.validation
    scores = audit(clf.network_, X.slice(400), y[400:]).scores
    assert (found.source, found.rows) == ("given", len(y) - 400)
    assert found.macro_f1 == pytest.approx(scores.macro_f1)
    assert found.fires == pytest.approx([each.rows / scores.rows for each in scores.settled])
    # The statistics are of the 400 rows, so the probabilities are those that the model states.
    assert [row for bin_ in found.reliability for row in bin_] == pytest.approx(
        [figure for each in scores.calibration for figure in (each.stated, each.right, each.rows)]
    )


def test_a_refit_is_judged_by_the_network_that_had_not_seen_the_held_out_rows(cells):
    before, after = (fitted(*cells, refit=refit, max_epochs=10).network_ for refit in (False, True))
    assert before.levels != after.levels
    assert after.training.validation.source == "held back"
    assert after.training.validation == before.training.validation


def test_rows_that_were_given_are_never_learned_from(cells):
    X, y = cells
    given = {"X_val": X.slice(400), "y_val": y[400:]}
    before, after = (
        fitted(X.slice(0, 400), y[:400], refit=refit, max_epochs=10, **given).network_ for refit in (False, True)
    )
    assert before.levels == after.levels


def test_stability_has_a_share_for_each_rule(cells):
    network = fitted(*cells).network_
    shares = network.training.stability
    assert [len(level) for level in shares] == [len(level.rules) for level in network.levels]
    assert all(0 <= share <= 1 for level in shares for share in level)
    assert max(map(max, shares)) == 1


def test_training_rows_are_known_again_and_others_are_not(cells):
    X, y = cells
    network = fitted(X.slice(0, 400), y[:400]).network_
    assert network.training.distinct == len(network.training.fingerprint) == 400
    assert audit(network, X.slice(0, 400).to_pandas(), y[:400]).overlap.share == 1
    assert audit(network, X.slice(400), y[400:]).overlap.rows == 0
    assert audit(loads(dumps(network)), X.slice(0, 400), y[:400]).overlap.share == 1


def test_evidence_does_not_depend_on_the_order_of_the_rows(cells):
    X, y = cells
    order = np.random.default_rng(0).permutation(len(y))
    assert fitted(X, y).network_.training == fitted(X.take(order), y[order]).network_.training


def test_a_classifier_explains_its_answers(cells):
    X, y = cells
    clf = fitted(X, y)
    found = clf.explain(X.slice(0, 1), fixed=["mean radius"])
    assert found.label == clf.predict(X.slice(0, 1))[0]
    assert found.right is not None
    assert "mean radius" not in {step.column for step in found.counterfactual.changes}
    assert clf.explain(X.slice(0, 1), limit=0).counterfactual.proved is False
