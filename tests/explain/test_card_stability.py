"""The share of resamples of rows that need a rule of a card, against a card without the rule."""

from __future__ import annotations

from dataclasses import replace

import pytest

from conceptrules.explain import stability
from conceptrules.explain.stability import resample_card
from tests.monitor.examples import learn, make_rows, targets_of

X, Y = make_rows(400, seed=12)


@pytest.mark.parametrize("kind", ["card", "several", "numbers"])
def test_a_rule_that_helps_is_needed_and_one_without_points_is_not(kind):
    network, targets = learn(kind), targets_of(kind, X, Y)
    shares = resample_card(network, X, targets)
    assert shares == resample_card(network, X, targets)
    losses = []
    for rule, points in enumerate(network.head.points):
        rest = [tuple(0 for _ in points) if other == rule else row for other, row in enumerate(network.head.points)]
        without = replace(network, head=replace(network.head, points=tuple(rest)))
        judged, before = without.evaluate(X, targets), network.evaluate(X, targets)
        losses.append((judged.rmse > before.rmse) if kind == "numbers" else (judged.log_loss > before.log_loss))
        assert resample_card(without, X, targets)[rule] == 0.0
    # The loss on all rows is that of a resample on average, so nearly all resamples agree with it where it is clear.
    assert all((share > 0.5) == worse for share, worse in zip(shares, losses, strict=True) if abs(share - 0.5) > 0.2)
    assert max(shares) == 1.0


def test_of_very_many_rows_some_are_drawn(monkeypatch):
    monkeypatch.setattr(stability, "_MOST_ROWS", 100)
    read = []
    original = stability.read_used_bits
    monkeypatch.setattr(stability, "read_used_bits", lambda *parts: read.append(parts[1].rows) or original(*parts))
    assert len(resample_card(learn("card"), X, Y)) == len(learn("card").head.points)
    assert read == [100]
