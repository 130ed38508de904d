"""Parts of the search that are left out are left out, and all others stay."""

from __future__ import annotations

from unittest.mock import Mock

import numpy as np
import pytest

from conceptrules import ConceptRuleClassifier, datasets
from conceptrules.learn.search import fit as search_fit
from conceptrules.learn.search import starts
from conceptrules.learn.search.ablation import ALL, Ablation
from conceptrules.learn.search.mutable_network import MutableNetwork
from conceptrules.learn.search.problem import EFFORTS

DATA = datasets.load("wine")


def fitted(ablation: Ablation = ALL, effort: str = "fast") -> ConceptRuleClassifier:
    """What is learned of wine; of a few of its columns where it is searched with more effort."""
    model = ConceptRuleClassifier(effort=effort, random_state=0, n_jobs=1)
    model._ablation = ablation
    return model.fit(DATA.X if effort == "fast" else DATA.X.select([0, 6, 12]), DATA.y)


@pytest.mark.parametrize("priority", [True, False])
def test_the_priority_is_learned_or_not(priority: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    seen = Mock()
    monkeypatch.setattr(MutableNetwork, "improve_priority", seen)
    fitted(Ablation(priority=priority), "default")
    assert seen.called == priority


def test_a_priority_that_is_not_learned_follows_from_the_shares() -> None:
    network = fitted(Ablation(priority=False)).network_
    counts = {name: int(np.sum(name == DATA.y)) for name in network.classes}
    assert list(network.priority) == sorted(counts, key=counts.__getitem__)
    assert network.default == max(counts, key=counts.__getitem__)


@pytest.mark.parametrize("ablation", [Ablation(local_search=False), Ablation(regrow=False)])
def test_what_is_not_improved_is_not_swept(ablation: Ablation, monkeypatch: pytest.MonkeyPatch) -> None:
    seen = []
    monkeypatch.setattr(starts, "sweep", lambda net, terms, rng: seen.append(terms.regrow))
    fitted(ablation, "default")
    assert set(seen) == (set() if not ablation.local_search else {0})


def test_all_parts_are_in_use_by_default(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = []
    monkeypatch.setattr(starts, "sweep", lambda net, terms, rng: seen.append((terms.regrow, terms.priority)))
    fitted(effort="default")
    assert set(seen) == {(EFFORTS["default"].regrow, True)}


def test_a_fixed_penalty_is_the_only_one() -> None:
    model = fitted(Ablation(penalty=2.5, voting=False))
    assert [(line["penalty"], line["members"]) for line in model.history_] == [(2.5, 1)]
    assert len(fitted().history_) > 1


def test_what_is_not_minimised_decides_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = fitted()
    monkeypatch.setattr(search_fit, "minimise", None)
    plain = fitted(Ablation(minimise=False))
    assert plain.network_.edges >= whole.network_.edges
    assert (plain.predict(DATA.X) == whole.predict(DATA.X)).all()


def test_an_ablation_is_no_parameter() -> None:
    assert "_ablation" not in ConceptRuleClassifier().get_params()
    assert ConceptRuleClassifier._ablation == Ablation()
