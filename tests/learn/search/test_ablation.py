"""Ideas that are left out are left out, and all others stay."""

from __future__ import annotations

import numpy as np
import pytest

from conceptrules import ConceptRuleClassifier, datasets
from conceptrules.learn.search import fit as polished
from conceptrules.learn.search import starts, sweep
from conceptrules.learn.search.ablation import ALL, Ideas
from conceptrules.learn.search.problem import EFFORTS

DATA = datasets.load("wine")


def fitted(ideas: Ideas = ALL, effort: str = "fast") -> ConceptRuleClassifier:
    model = ConceptRuleClassifier(effort=effort, random_state=0, n_jobs=1)
    model._ideas = ideas
    return model.fit(DATA.X, DATA.y)


@pytest.mark.parametrize("winners", [True, False])
def test_winners_are_learned_or_not(winners: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    seen = []
    for module in (starts, sweep):
        monkeypatch.setattr(module, "polish_winners", seen.append)
    fitted(Ideas(winners=winners), "default")
    assert bool(seen) == winners


def test_winners_that_are_not_learned_follow_from_the_shares() -> None:
    network = fitted(Ideas(winners=False)).network_
    counts = {name: int(np.sum(name == DATA.y)) for name in network.classes}
    assert list(network.priority) == sorted(counts, key=counts.__getitem__)
    assert network.default == max(counts, key=counts.__getitem__)


@pytest.mark.parametrize("ideas", [Ideas(polish=False), Ideas(regrow=False)])
def test_what_is_not_polished_is_not_swept(ideas: Ideas, monkeypatch: pytest.MonkeyPatch) -> None:
    seen = []
    monkeypatch.setattr(starts, "sweep", lambda draft, terms, rng: seen.append(terms.regrow))
    fitted(ideas, "default")
    assert set(seen) == (set() if not ideas.polish else {0})


def test_all_ideas_are_in_use_by_default(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = []
    monkeypatch.setattr(starts, "sweep", lambda draft, terms, rng: seen.append((terms.regrow, terms.winners)))
    fitted(effort="default")
    assert set(seen) == {(EFFORTS["default"].regrow, True)}


def test_a_fixed_price_is_the_only_one() -> None:
    model = fitted(Ideas(price=2.5, committees=False))
    assert [(line["price"], line["members"]) for line in model.history_] == [(2.5, 1)]
    assert len(fitted().history_) > 1


def test_what_is_not_minimised_decides_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = fitted()
    monkeypatch.setattr(polished, "minimise", None)
    plain = fitted(Ideas(minimise=False))
    assert plain.network_.edges >= whole.network_.edges
    assert (plain.predict(DATA.X) == whole.predict(DATA.X)).all()


def test_an_idea_is_no_setting() -> None:
    assert "_ideas" not in ConceptRuleClassifier().get_params()
    assert ConceptRuleClassifier._ideas == Ideas()
