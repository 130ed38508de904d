"""Cards that are learned under a policy keep it: every card of the front, whatever the table and the policy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conceptrules import ScorecardClassifier, ScorecardRegressor
from conceptrules.learn.points import path
from conceptrules.learn.points.path import NumberPath, _solve_step
from conceptrules.model import InputError
from conceptrules.model.policy import Policy

KINDS = {"rank": ["low", "mid", "high"]}


def make_table(seed: int, rows: int = 90) -> tuple[list[dict[str, Any]], np.ndarray]:
    """A number with gaps, an ordinal column, a boolean and a category, and what rises with the first ones."""
    rng = np.random.default_rng(seed)
    debt, rank = rng.integers(0, 12, rows), rng.integers(0, 3, rows)
    flag, job = rng.random(rows) < 0.5, rng.choice(["cook", "nurse", "smith"], rows)
    strength = debt * rng.normal() + 3 * rank * rng.normal() + 4 * flag * rng.normal() + 3 * (job == "cook")
    table = [
        {"debt": None if rng.random() < 0.1 else int(debt[i]), "rank": KINDS["rank"][rank[i]], "flag": bool(flag[i]),
         "job": str(job[i])}
        for i in range(rows)
    ]  # fmt: skip
    return table, strength + rng.normal(size=rows)


LOCKED = ["debt > 6", "debt <= 3", "rank = high", "flag = True", "job = cook and debt > 4", "job != nurse"]


@st.composite
def keys(draw: st.DrawFn, classes: int) -> dict[str, Any]:
    """The keys of a policy; those that contradict each other are among them."""
    labels = ["a", "b", "c"][:classes]
    chosen: dict[str, Any] = {"order": draw(st.permutations(labels))} if classes else {}
    sides = st.sampled_from(["up", "down"])
    gaps = st.fixed_dictionaries({"direction": sides, "missing": st.sampled_from(["lowest", "incomparable"])})
    chosen["monotone"] = draw(st.dictionaries(st.sampled_from(["debt", "rank", "flag"]), gaps, max_size=3))
    if draw(st.booleans()):
        chosen["banned"] = [{"rule": draw(st.sampled_from(LOCKED))}]
    if draw(st.booleans()):
        rule: dict[str, Any] = {"rule": draw(st.sampled_from(LOCKED))}
        if draw(st.booleans()):
            rule["points"] = [draw(st.integers(-6, 6).filter(bool)) for _ in range(classes if classes > 2 else 1)]
        elif classes and draw(st.booleans()):
            rule["class"] = draw(st.sampled_from(labels))
        chosen["locked"] = [rule]
    if draw(st.booleans()):
        chosen |= draw(st.sampled_from([{"max_rules": 3}, {"apart": [["debt", "job"]]}, {"independent": ["job"]}]))
    return chosen


CARD_CASES = st.sampled_from([2, 3, 0]).flatmap(lambda classes: st.tuples(st.just(classes), keys(classes)))


@settings(max_examples=12, deadline=None)
@given(CARD_CASES, st.integers(0, 2**31))
def test_every_card_of_the_front_is_proved_to_keep_its_policy(case: Any, seed: int) -> None:
    learn_and_prove(case, seed)


def learn_and_prove(case: tuple[int, dict[str, Any]], seed: int) -> None:
    """Learn under a policy; `python -m tests.soak policies` draws many more."""
    classes, chosen = case
    policy, (table, strength) = Policy.of(**chosen), make_table(seed)
    shared: dict[str, Any] = {"effort": "fast", "policy": policy, "kinds": KINDS, "random_state": 0, "n_jobs": 1}
    shared["max_edges"] = 20
    if classes:
        cuts = np.quantile(strength, np.arange(1, classes) / classes)
        model: Any = ScorecardClassifier(**shared)
        y: Any = np.array(["a", "b", "c"])[np.searchsorted(cuts, strength)]
    else:
        model, y = ScorecardRegressor(**shared, step=0.5), strength
    try:
        model.fit(table, y)
    except InputError as error:
        if "contradicts" in str(error) or "not in favour" in str(error):
            return
        raise
    for choice in model.frontier_:
        assert choice.network.policy.clauses == policy.clauses
        assert [verdict.outcome for verdict in choice.network.proof.verdicts] == ["proved"] * len(policy.clauses)
        assert choice.network.prove(policy).proved


@given(st.integers(0, 999), st.integers(1, 6))
@settings(deadline=None, max_examples=50)
def test_a_step_keeps_the_signs_of_weights(seed: int, count: int) -> None:
    rng = np.random.default_rng(seed)
    root, vector = rng.normal(size=(count + 1, count + 1)), rng.normal(size=count + 1)
    matrix, signs = root @ root.T + np.eye(count + 1), rng.integers(-1, 2, count)
    weights = np.abs(rng.normal(size=count)) * np.where(signs, signs, rng.choice([-1, 1], count))
    step = _solve_step(matrix, vector, weights, signs)
    assert (signs * (weights + step[1:]) >= 0).all()
    assert vector @ step - 0.5 * step @ matrix @ step >= -1e-9 or (weights + step[1:] == 0).any()
    np.testing.assert_allclose(
        _solve_step(matrix, vector, weights, np.zeros(count, int)), np.linalg.solve(matrix, vector)
    )


TABLE, STRENGTH = make_table(1)
LABELS = np.where(np.median(STRENGTH) < STRENGTH, "b", "a")


@pytest.mark.parametrize(
    ("policy", "message"),
    [
        ({"better": "b", "monotone": {"debt": "up"}, "locked": [{"rule": "debt > 6", "points": -3}]},
         "locked.debt > 6 contradicts monotone.debt: as the column rises, a card with this rule would go the other way"
         "; give it points of the other sign, or none, or take one of the clauses out"),
        ({"better": "b", "monotone": {"debt": "up"}, "locked": [{"rule": "3 < debt <= 6"}]},
         "locked.3 < debt <= 6 contradicts monotone.debt: as the column rises, a card with this rule would go the "
         "other way; ask it for one side of the column only, or take one of the clauses out"),
        ({"better": "b", "monotone": {"debt": "up"}, "locked": [{"rule": "debt > 6", "class": "a"}]},
         "locked.debt > 6 contradicts monotone.debt: as the column rises, a card with this rule would go the other way"
         "; give it another class, or none, or take one of the clauses out"),
        ({"independent": ["debt"], "locked": [{"rule": "debt > 6"}]}, "locked.debt > 6 contradicts independent.debt"),
        ({"locked": [{"rule": "debt > 6", "points": 3, "class": "a"}]},
         "locked.debt > 6: its points are not in favour of 'a'; change the points or the class"),
        ({"locked": [{"rule": "debt > 6", "points": 30}]},
         "locked.debt > 6 has 30 points, but max_points = 20; allow more"),
        ({"locked": [{"rule": "debt > 6"}], "banned": [{"rule": "debt > 5"}]},
         "locked.debt > 6 contradicts another clause: it lies inside a banned rule"),
        ({"locked": [{"rule": "debt > 6 and job = cook"}], "max_edges": 2},
         "max_edges = 2, but the locked rules have 3; allow more"),
        ({"implies": [{"if": "debt > 6", "then": "b"}]},
         "implies.debt > 6: a scorecard cannot be learned under this clause, although `prove` can tell whether it "
         "keeps it; take it out, or use ConceptRuleClassifier"),
        ({"monotone": {"debt": "up"}}, "monotone.debt: the order must list each class once"),
        ({"bounds": [{"least": 999}]}, "bounds.always: no network keeps this clause on all rows"),
    ],
)  # fmt: skip
def test_what_no_card_can_keep_is_told(policy: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError) as error:
        ScorecardClassifier(effort="fast", policy=Policy.of(**policy), kinds=KINDS).fit(TABLE, LABELS)
    assert str(error.value).startswith(message)


def test_points_of_a_number_need_a_step() -> None:
    policy = Policy.of(locked=[{"rule": "debt > 6", "points": 3}])
    with pytest.raises(InputError, match="its points have no unit; give `step`, what a point adds"):
        ScorecardRegressor(effort="fast", policy=policy, kinds=KINDS).fit(TABLE, STRENGTH)


def test_bounds_choose_among_the_cards_of_the_front() -> None:
    free = ScorecardRegressor(effort="fast", step=0.5, kinds=KINDS, random_state=0).fit(TABLE, STRENGTH)
    most = float(free.predict(TABLE).max()) - 1
    policy = Policy.of(bounds=[{"most": most}])
    kept = ScorecardRegressor(effort="fast", step=0.5, kinds=KINDS, random_state=0, policy=policy)
    with pytest.warns(match=r"bounds\.always: the best network of a sample does not keep this clause on all rows"):
        kept.fit(TABLE, STRENGTH)
    assert len(kept.frontier_) < len(free.frontier_)
    assert all(choice.network.prove(policy).proved for choice in kept.frontier_)
    assert kept.predict(TABLE).max() <= most


def test_rules_that_are_exchanged_keep_the_policy(monkeypatch: pytest.MonkeyPatch) -> None:
    replaced, replace_rule = [], NumberPath._replace_rule

    def watch(self: NumberPath, number: int, worth: float) -> None:
        rule = self._rules[number]
        replace_rule(self, number, worth)
        replaced.append(self._rules[number] is not rule)

    monkeypatch.setattr(path, "FEW_ROWS", 0)
    monkeypatch.setattr(NumberPath, "_replace_rule", watch)
    policy = Policy.of(monotone={"debt": "up"}, locked=[{"rule": "debt > 6", "points": 3}])
    noisy = STRENGTH + np.random.default_rng(0).normal(0, 0.5, len(STRENGTH))
    model = ScorecardRegressor(step=0.5, policy=policy, kinds=KINDS, random_state=0, n_jobs=1).fit(TABLE, noisy)
    assert any(replaced)
    assert all(choice.network.prove(policy).proved for choice in model.frontier_)
