"""Networks that are learned under a policy satisfy it: by proof, and by trying all cells."""

from __future__ import annotations

import itertools
import json

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import conceptrules.check as checker
from conceptrules.edit import AddRule, DropRule, LockRule, replay, undo
from conceptrules.io.encode import dumps
from conceptrules.logic.policies.clause_checks import find_lost_rule, find_violation, is_structural
from conceptrules.logic.policies.proof import prove, write_certificate
from conceptrules.model import InputError, RuleNetwork
from conceptrules.model.policy import Banned, Implies, Independent, Locked, Monotone, Policy
from conceptrules.model.policy.plain import to_plain
from conceptrules.model.predicate import Predicate, finite_bounds, holds
from conceptrules.model.rule_reader import read_rule
from tests.people import quick_search, simple

ORDER = ("S", "M", "L")
KINDS = {"size": ORDER}
COLUMNS = ("age", "size", "flag", "job")
RULES = [
    ("age", "age > 2.25"),
    ("age", "1.5 < age <= 6"),
    ("age", "not (age > 3)"),
    ("age", "age is missing"),
    ("size", "size <= M"),
    ("size", "size is present"),
    ("flag", "flag = True"),
    ("job", "job not in {cook, smith}"),
]


def table(seed: int, classes: int) -> tuple[pd.DataFrame, np.ndarray]:
    """Columns of four kinds with gaps, and classes that depend on them in some way."""
    rng = np.random.default_rng(seed)
    rows = 80
    X = pd.DataFrame(
        {
            "age": np.where(rng.random(rows) < 0.1, np.nan, rng.integers(0, 9, rows)),
            "size": pd.Series(rng.choice(ORDER, rows)).where(rng.random(rows) > 0.1),
            "flag": rng.random(rows) < 0.5,
            "job": rng.choice(["cook", "nurse", "smith"], rows),
        }
    )
    ranks = X["size"].map({name: place for place, name in enumerate(ORDER)}).fillna(1)
    weights = rng.normal(size=4)
    score = (
        weights[0] * X["age"].fillna(4) / 3
        + weights[1] * ranks
        + weights[2] * X["flag"]
        + weights[3] * (X["job"] == "cook")
    )
    score += rng.normal(0, 0.7, rows)
    cuts = np.quantile(score, np.linspace(0, 1, classes + 1)[1:-1])
    return X, np.array(list("abc"))[np.searchsorted(cuts, score)]


@st.composite
def policies(draw: st.DrawFn, classes: int) -> Policy:
    names = list("abc"[:classes])
    keys: dict[str, object] = {"order": draw(st.permutations(names))}
    rising = draw(st.lists(st.sampled_from(["age", "size", "flag"]), unique=True, max_size=2))
    told = st.fixed_dictionaries(
        {"direction": st.sampled_from(["up", "down"]), "missing": st.sampled_from(["incomparable", "lowest"])}
    )
    keys["monotone"] = {name: draw(told) for name in rising}
    some = st.lists(st.sampled_from(COLUMNS), unique=True, max_size=1)
    keys["independent"], keys["forbidden"] = draw(some), [one for one in draw(some) if one not in rising]
    keys["independent"] = [one for one in keys["independent"] if one not in keys["forbidden"]]
    left = [one for one in COLUMNS if one not in keys["forbidden"]]
    keys["locked"] = []
    if draw(st.booleans()):
        rules = [rule for name, rule in RULES if name in left]
        chosen = draw(st.lists(st.sampled_from(rules), unique=True, min_size=1, max_size=2))
        mode = draw(st.sampled_from(["keep", "decides"]))
        keys["locked"] = [{"rule": rule, "class": names[0], "mode": mode} for rule in chosen]
    if draw(st.booleans()):
        rule = draw(st.sampled_from([rule for name, rule in RULES if name in left]))
        keys["implies"] = [{"if": rule, "then": names[0]}]
    keys["apart"] = draw(st.lists(st.sampled_from(list(itertools.combinations(left, 2))), unique=True, max_size=2))
    one = st.lists(st.sampled_from(left), max_size=1)
    keys["only_for"] = {name: [draw(st.sampled_from(names))] for name in draw(one)}
    keys["cost"] = {name: draw(st.sampled_from([1, 2.5])) for name in draw(one)}
    if draw(st.booleans()):
        keys["max_edges"] = draw(st.integers(10 if keys["locked"] or "implies" in keys else 1, 14))
    if classes == 2 or not rising:
        if draw(st.booleans()):
            keys["default"] = draw(st.sampled_from(names))
        if draw(st.booleans()):
            keys["priority"] = draw(st.permutations(names))
    return Policy.of(**keys)


def every_cell(network: RuleNetwork, *tests: Predicate) -> list[dict[str, object]]:
    """A row for each combination of cells of the network and of other tests, and each category and gap."""
    values: dict[str, list[object]] = {"size": [*ORDER, None], "flag": [False, True, None]}
    values["job"] = ["cook", "smith", "nurse", None]
    cuts = finite_bounds(predicate for predicate in (*network.predicates, *tests) if predicate.column == "age")
    values["age"] = [*cuts, (cuts[-1] if cuts else 0.0) + 1, None]
    names = [column.name for column in network.columns]
    return [dict(zip(names, row, strict=True)) for row in itertools.product(*(values[name] for name in names))]


def check(network: RuleNetwork, policy: Policy) -> None:
    rows = every_cell(network)
    answers = dict(zip([tuple(row.values()) for row in rows], network.predict(rows).tolist(), strict=True))
    names = [column.name for column in network.columns]
    for clause in policy.clauses:
        if is_structural(clause):
            assert find_violation(clause, network) is None, clause
        elif isinstance(clause, Locked | Implies):
            tests = read_rule(clause.rule, network.columns)
            assert isinstance(clause, Implies) or find_lost_rule(clause, network) is None, clause
            for row, answer in answers.items():
                values = dict(zip(names, row, strict=True))
                if all(holds(test.predicate, values[test.predicate.column]) != test.negated for test in tests):
                    assert answer == clause.label, (clause, row)
        elif isinstance(clause, Monotone | Independent):
            place = names.index(clause.column)
            lines: dict[tuple[object, ...], list[tuple[object, str]]] = {}
            for row, answer in answers.items():
                lines.setdefault((*row[:place], *row[place + 1 :]), []).append((row[place], answer))
            for line in lines.values():
                assert not fails(clause, line), (clause, line)


def fails(clause: Monotone | Independent, line: list[tuple[object, str]]) -> bool:
    if isinstance(clause, Independent):
        return len({answer for _, answer in line}) > 1
    known = [(ORDER.index(value) if value in ORDER else value, answer) for value, answer in line if value is not None]
    known.sort(key=lambda pair: pair[0])
    gap = [answer for value, answer in line if value is None]
    chain = ([gap[0]] if clause.missing == "lowest" and gap else []) + [answer for _, answer in known]
    ranks = [clause.order.index(answer) for answer in chain]
    return ranks != sorted(ranks, reverse=clause.direction == "down")


CASES = st.sampled_from([2, 3]).flatmap(lambda count: st.tuples(st.just(count), policies(count)))
"""A number of classes, and a policy for them."""


@settings(max_examples=40, deadline=None)
@given(CASES, st.integers(0, 999))
@pytest.mark.filterwarnings("ignore")
def test_every_network_of_the_front_satisfies_the_policy(case, seed):
    learn_and_check(case, seed)


def learn_and_check(case: tuple[int, Policy], seed: int) -> None:
    """Learn from a drawn table under a policy, and check every network of the front by trying all cells."""
    classes, policy = case
    X, y = table(seed, classes)
    try:
        clf = quick_search(policy=policy, kinds=KINDS).fit(X, y)
    except InputError as error:  # what is locked may contradict the other clauses
        assert policy.of_kind(Locked) or policy.of_kind(Implies), error  # noqa: PT017
        return
    for choice in clf.frontier_:
        assert {verdict.outcome for verdict in choice.network.proof.verdicts} <= {"proved"}
        check(choice.network, policy)
    assert clf.predict(X).tolist() == clf.network_.predict(X).tolist()


def test_an_empty_policy_changes_nothing():
    X, y = simple()
    assert quick_search(policy=Policy()).fit(X, y).network_ == quick_search().fit(X, y).network_


def test_a_forbidden_column_has_no_influence():
    X, y = simple()
    noise = np.random.default_rng(3).permutation(len(X))
    policy = Policy.of(forbidden=["job"])
    one = quick_search(policy=policy).fit(X, y).network_
    other = quick_search(policy=policy).fit(X.assign(job=X["job"].to_numpy()[noise]), y).network_
    assert (one, one.training) == (other, other.training)
    assert [column.name for column in one.columns] == ["age", "height"]
    with pytest.warns(UserWarning, match="column 'jobb' is forbidden, but the table has no such column; did you mean"):
        quick_search(policy=Policy.of(forbidden=["jobb"])).fit(X, y)
    with pytest.raises(InputError, match="an array has no names of columns"):
        quick_search(policy=policy).fit(X[["age", "height"]].to_numpy(), y)


def test_the_decision_is_proved_independent_of_a_forbidden_column():
    X, y = simple()
    policy = Policy.of(forbidden=["job"], independent=["job"])
    network = quick_search(policy=policy).fit(X, y).network_
    assert [(one.name, one.outcome) for one in network.proof.verdicts] == [
        ("independent.job", "proved"),
        ("forbidden.job", "proved"),
    ]
    model, plain = json.loads(dumps(network)), to_plain(policy)
    shown = json.loads(write_certificate(network, policy, prove(network, policy), plain))
    assert {why for _, why in checker.check(model, plain, shown)} == {None}


def test_locked_rules_stay_and_the_rest_is_learned_around_them():
    X, y = simple()
    locked = [
        {"rule": "age > 43.5 and not job = nurse", "class": "old"},
        {"rule": "height is missing", "class": "care"},
    ]
    clf = quick_search(policy=Policy.of(locked=locked)).fit(X, y)
    for choice in clf.frontier_:
        assert {"age > 43.5 and job != nurse", "height is missing"} <= set(choice.network.to_frame("pandas")["text"])
    assert clf.score(X, y) > 0.8
    assert len(clf.network_.levels[0].rules) > 2


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        (
            {"monotone": {"age": "up"}, "order": ["young", "care", "old"], "rule": "age <= 30", "class": "old"},
            "contradicts monotone.age: no rule of",
        ),
        ({"independent": ["age"], "rule": "age <= 30", "class": "old"}, "contradicts independent.age: no rule of"),
        ({"priority": ["care", "old", "young"], "rule": "age > 3", "class": "old"}, "contradicts priority"),
        ({"rule": "job = nurze", "class": "old"}, "did you mean nurse?"),
        (
            {"rule": "age > 50 and job = nurse", "class": "old", "banned": [{"rule": "age > 40", "class": "old"}]},
            "contradicts banned.old.age > 40; unlock the rule",
        ),
    ],
)
def test_locked_rules_that_contradict_the_rest(keys, message):
    X, y = simple()
    rule = {"rule": keys.pop("rule"), "class": keys.pop("class"), "mode": "decides"}
    with pytest.raises(InputError) as error:
        quick_search(policy=Policy.of(locked=[rule], **keys)).fit(X, y)
    assert message in str(error.value)


def test_refitting_around_an_edited_network_keeps_its_locked_rules():
    X, y = simple()
    clf = quick_search(policy=Policy.of(max_edges=20)).fit(X, y)
    told = {"who": "anna", "why": "an expert says so"}
    edited = clf.network_.edit(AddRule("age > 61.5 and job = smith", "old"), **told).network
    edited = edited.edit(LockRule("age > 61.5 and job = smith", "old"), **told).network
    again = quick_search(policy=Policy.of(max_edges=20)).refit(X[::-1], y[::-1], around=edited)
    assert "age > 61.5 and job = smith" in set(again.network_.to_frame("pandas")["text"])
    assert [one.name for one in again.policy.clauses] == ["locked.age > 61.5 and job = smith", "max_edges"]
    assert [step.outcome for step in replay(edited.trail, again.network_).steps] == ["already", "already"]


@settings(max_examples=10, deadline=None)
@given(st.integers(0, 999))
@pytest.mark.filterwarnings("ignore")
def test_a_dropped_rule_is_not_learned_again_with_other_bounds(seed):
    X, y = table(seed, 2)
    clf = quick_search(kinds=KINDS).fit(X, y)
    rules = clf.network_.to_frame("pandas")
    if rules.empty or len(clf.network_.levels) > 1:
        return
    text, label = rules["text"][0], rules["for"][0]
    edited = clf.network_.edit(DropRule(text, label), who="anna", why="it is no reason").network
    region = read_rule(text, clf.network_.columns)
    again = quick_search(kinds=KINDS).refit(X, y, around=edited)
    banned = Policy((Banned(text, label),))
    assert again.policy == again.network_.policy == banned
    assert clf.network_.prove(banned).outcome == "refuted"
    for choice in again.frontier_:
        network = choice.network
        assert [verdict.outcome for verdict in network.proof.verdicts] == ["proved"]
        rows = every_cell(network, *(one.predicate for one in region))
        inside = [all(holds(one.predicate, row[one.predicate.column]) != one.negated for one in region) for row in rows]
        for rule in network.levels[0].concepts[network.classes.index(label)].rules:
            tests = [(network.predicates[one.index], one.negated) for one in network.levels[0].rules[rule].literals]
            held = [all(holds(test, row[test.column]) != negated for test, negated in tests) for row in rows]
            assert any(one and not other for one, other in zip(held, inside, strict=True)), (text, rule)
    taken_back = undo(edited, who="anna", why="it is").network
    assert str(quick_search(kinds=KINDS).refit(X, y, around=taken_back).network_) == str(clf.network_)


def test_a_cost_moves_the_search_to_other_columns():
    X, y = simple()
    dear = quick_search(policy=Policy.of(cost={"job": 1000.0})).fit(X, y).network_
    assert "job" in quick_search().fit(X, y).network_.used_columns
    assert "job" not in dear.used_columns


@pytest.mark.parametrize(
    ("policy", "message"),
    [
        (Policy.of(monotone={"agee": "up"}), "monotone.agee: there is no column 'agee'; did you mean age?"),
        (Policy.of(monotone={"age": "up"}), 'write order = ["care", "old", "young"]'),
        (Policy.of(default="never"), "default: there is no class 'never'"),
        (
            Policy.of(order=["care", "young", "old"], monotone={"age": "up"}, default="young"),
            "take the clauses of priority",
        ),
        (Policy.of(cost={"age": 0.5}, max_edges=9), "cost.age: costs below 1 and a limit of edges do not go together"),
        (
            Policy(
                (Monotone("age", "up", ("care", "young", "old")), Monotone("height", "up", ("old", "young", "care")))
            ),
            "order the classes differently",
        ),
        ("age", "policy is 'age'; give a Policy"),
        (
            Policy.of(implies=[{"if": "age > 60", "then": "old"}, {"if": "age <= 20", "then": "young"}]),
            "implies.age > 60 and implies.age <= 20: rules that decide are learned around for one class only",
        ),
        (
            Policy.of(locked=[{"rule": f"age > {cut}", "class": "old"} for cut in range(300)]),
            "the locked rules cut the column 'age' at 300 places; at most",
        ),
        (Policy.of(forbidden=["age", "height", "job"]), "every column of the table is forbidden"),
    ],
)
def test_policies_that_no_network_is_learned_under(policy, message):
    X, y = simple()
    with pytest.raises(InputError) as error:
        quick_search(policy=policy).fit(X, y)
    assert message in str(error.value)


def test_a_dropped_rule_on_a_column_that_is_gone_is_no_ban():
    X, y = simple()
    clf = quick_search().fit(X, y)
    rule = "job = nurse"
    edited = clf.network_.edit(DropRule(rule, "care"), who="anna", why="not asked for any more").network
    assert quick_search().refit(X.drop(columns="job"), y, around=edited).policy == Policy()
    assert quick_search(policy=Policy.of(forbidden=["job"])).refit(X, y, around=edited).policy == Policy.of(
        forbidden=["job"]
    )
