"""Policies as plain values: what a file may hold, and the one error that anything else gets."""

from __future__ import annotations

import io
from typing import Any

import pytest

from conceptrules.model import InputError
from conceptrules.model.policy import (
    Apart,
    Banned,
    Clause,
    Cost,
    Default,
    Domain,
    Fair,
    Forbidden,
    Implies,
    Independent,
    LeastPrecision,
    LeastRows,
    Limit,
    Locked,
    Monotone,
    OnlyFor,
    Policy,
    Priority,
)
from conceptrules.model.policy.plain import MAX_BYTES, MAX_CLAUSES, MAX_RULES, from_plain, read_text, to_plain


@pytest.mark.parametrize(
    ("clauses", "plain"),
    [
        (
            [Monotone("age", "up", ("a", "b")), Monotone("pay", "down", ("b",), "lowest")],
            {
                "monotone": {
                    "age": {"direction": "up", "order": ["a", "b"], "missing": "incomparable"},
                    "pay": {"direction": "down", "better": "b", "missing": "lowest"},
                }
            },
        ),
        ([Independent("x"), Independent("y")], {"independent": ["x", "y"]}),
        ([Forbidden("x"), Forbidden("y")], {"forbidden": ["x", "y"]}),
        ([Apart("x", "y"), Apart("x", "z")], {"apart": [["x", "y"], ["x", "z"]]}),
        ([OnlyFor("x", ("a",)), OnlyFor("y", ("b", 1))], {"only_for": {"x": ["a"], "y": ["b", 1]}}),
        ([Cost("x", 2), Cost("y", 0.5)], {"cost": {"x": 2, "y": 0.5}}),
        ([Locked("x > 1", "a", "decides")], {"locked": [{"rule": "x > 1", "class": "a", "mode": "decides"}]}),
        ([Banned("x > 1", "a")], {"banned": [{"rule": "x > 1", "class": "a"}]}),
        ([Default(True), Priority(("b", "a"))], {"default": True, "priority": ["b", "a"]}),
        (
            [Limit("edges", 1), Limit("rules", 2), Limit("literals", 3)],
            {"max_edges": 1, "max_rules": 2, "max_literals": 3},
        ),
        ([LeastRows(5), LeastPrecision(0.5)], {"min_rows": 5, "min_precision": 0.5}),
        ([LeastPrecision(0.5, 0.9)], {"min_precision": 0.5, "confidence": 0.9}),
        (
            [Fair("s", "a", 0.1, "selection_ratio")],
            {"fair": [{"column": "s", "positive": "a", "bound": 0.1, "measure": "selection_ratio"}]},
        ),
        ([Implies("x > 1", "a")], {"implies": [{"if": "x > 1", "then": "a"}]}),
    ],
)
def test_each_clause_as_plain_values_and_back(clauses: list[Clause], plain: dict[str, Any]) -> None:
    assert to_plain(Policy(tuple(clauses))) == plain
    assert from_plain(plain) == Policy(tuple(clauses))


@pytest.mark.parametrize(
    ("domain", "plain"),
    [
        (Domain(), {}),
        (Domain(missing=False), {"ranges": {}, "missing": False, "unseen": True, "impossible": []}),
        (
            Domain((("x", 0, 1),), ("x", "y"), False, ("x > 1",)),
            {"ranges": {"x": [0, 1]}, "missing": ["x", "y"], "unseen": False, "impossible": ["x > 1"]},
        ),
    ],
)
def test_a_domain_as_plain_values_and_back(domain: Domain, plain: dict[str, Any]) -> None:
    assert to_plain(Policy((), domain)) == ({"domain": plain} if plain else {})
    assert from_plain({"domain": plain}) == Policy((), domain)


def test_what_a_file_may_leave_out() -> None:
    keys = {
        "order": ["a", "b"],
        "monotone": {
            "x": "up",
            "y": {"direction": "down", "order": ["b", "a"]},
            "z": {"direction": "up", "better": "a"},
        },
        "locked": [{"rule": "x > 1", "class": "a"}],
        "fair": [{"column": "s", "positive": "a", "bound": 0}],
        "domain": {},
    }
    assert from_plain(keys) == Policy(
        (
            Monotone("x", "up", ("a", "b"), "incomparable"),
            Monotone("y", "down", ("b", "a")),
            Monotone("z", "up", ("a",)),
            Locked("x > 1", "a", "keep"),
            Fair("s", "a", 0, "positive_rate"),
        )
    )


FAIR = {"column": "s", "positive": "a", "bound": 0}


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ({"fairr": []}, "the policy: there is no key 'fairr'; did you mean 'fair'?"),
        ({"max_columns": 3}, "the policy: there is no key 'max_columns'; it is an option of scorecards: "
         "max_columns= in Python, --max-columns on the command line"),
        ({"monotone": {"x": {"directon": 1}}}, "monotone.x: there is no key 'directon'; did you mean 'direction'?"),
        ({"monotone": {"x": {"q": 1}}},
         "monotone.x: there is no key 'q'; it can have direction, order, better, missing"),
        ({"monotone": {"x": {}}}, "monotone.x: no direction is given; write direction = 'up' or 'down'"),
        ({"monotone": {"x": {"direction": "up", "better": "a", "order": ["b", "a"]}}},
         "monotone.x.better: the order of the classes is given too; write one of the two"),
        ({"better": ["a"]}, "better: expected a class (text, a number, true or false), found ['a']"),
        ({"monotone": 3}, "monotone: expected a table ([monotone] in TOML), found 3"),
        ({"monotone": {"x": {"direction": "up", "order": "ab"}}},
         "monotone.x.order: expected a list, found 'ab'; put it in square brackets"),
        ({"order": [None]}, "order: expected a class (text, a number, true or false), found None"),
        ({"order": [float("nan")]}, "order: expected a class (text, a number, true or false), found nan"),
        ({"independent": [1]}, "independent: expected text, found 1; put it in quotes"),
        ({"apart": [["a", "b", "c"]]}, "apart: expected pairs of columns, [['age', 'sex']], found ['a', 'b', 'c']"),
        ({"only_for": {"x": [[]]}}, "only_for.x: expected a class (text, a number, true or false), found []"),
        ({"locked": [{"rule": "x", "class": "a"}, {"class": "a"}]}, "locked[1]: 'rule' is missing; write rule"),
        ({"locked": [{"rule": 1, "class": "a"}]}, "locked[0]: expected text, found 1; put it in quotes"),
        ({"locked": [{"rule": "x", "class": "a", "m": 1}]},
         "locked[0]: there is no key 'm'; it can have rule, class, mode, points"),
        ({"banned": [{"rule": "x", "class": "a", "mode": 1}]},
         "banned[0]: there is no key 'mode'; it can have rule, class"),
        ({"banned": [{"class": "x"}]}, "banned[0]: 'rule' is missing; write rule"),
        ({"bounds": [{"if": "x"}]}, "bounds.x: no bound is given; write least, most, or both"),
        ({"bounds": [{"least": 2, "most": 1}]}, "bounds.always: the least value, 2, is above the largest, 1"),
        ({"bounds": [{"most": "2"}]}, "bounds.always: bounds are numbers, found '2'"),
        ({"locked": [{"rule": "x", "points": 1.5}]}, "locked.x: points must be whole numbers, found 1.5"),
        ({"locked": [{"rule": "x", "points": [0]}]},
         "locked.x: a rule without points adds nothing; give it points, or take the clause out"),
        ({"fair": [{"column": "s", "positive": "a"}]}, "fair[0]: 'bound' is missing; write column, positive, bound"),
        ({"fair": [FAIR, {**FAIR, "column": 1}]}, "fair[1]: expected text, found 1; put it in quotes"),
        ({"implies": [{"if": "x"}]}, "implies[0]: 'then' is missing; write if, then"),
        ({"implies": ["x"]}, "implies[0]: expected a table ([implies[0]] in TOML), found 'x'"),
        ({"domain": []}, "domain: expected a table ([domain] in TOML), found []"),
        ({"domain": {"ranges": []}}, "domain.ranges: expected a table ([domain.ranges] in TOML), found []"),
        ({"domain": {"ranges": {"x": [1, 2, 3]}}},
         "domain.ranges.x: expected the least and the greatest value, [0, 120], found [1, 2, 3]"),
        ({"domain": {"missing": "x"}}, "domain.missing: expected a list, found 'x'; put it in square brackets"),
        ({"domain": {"missing": [1]}}, "domain.missing: expected text, found 1; put it in quotes"),
        ({"domain": {"unseen": "no"}}, "domain.unseen: expected true or false, found 'no'"),
        ({"domain": {"impossible": [1]}}, "domain.impossible: expected text, found 1; put it in quotes"),
        ({"confidence": 0.9}, "confidence goes with min_precision; give both, or take it out"),
    ],
)  # fmt: skip
def test_what_is_no_policy_is_told_with_its_place(keys: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError) as error:
        from_plain(keys)
    assert str(error.value) == message


def test_as_many_clauses_and_rules_as_the_limits_say() -> None:
    columns = [str(number) for number in range(MAX_CLAUSES)]
    assert len(from_plain({"forbidden": columns}).clauses) == MAX_CLAUSES
    with pytest.raises(InputError, match=r"^forbidden: more than 10,000 clauses; a policy is what people can read$"):
        from_plain({"forbidden": [*columns, "more"]})
    rules = [f"x > {number}" for number in range(MAX_RULES - 3)]
    keys = {
        "locked": [{"rule": "y > 1", "class": "a"}],
        "banned": [{"rule": "y > 2", "class": "a"}],
        "implies": [{"if": "y > 3", "then": "a"}],
    }
    assert len(from_plain({**keys, "domain": {"impossible": rules}}).domain.impossible) == MAX_RULES - 3
    with pytest.raises(InputError, match=r"^501 rules in words; a policy can have 500$"):
        from_plain({**keys, "domain": {"impossible": [*rules, "more"]}})


def test_a_file_may_be_as_large_as_the_limit() -> None:
    assert read_text(io.BytesIO(b"\xef\xbb\xbf# x")) == "# x"
    assert len(read_text(io.BytesIO(b"#" * MAX_BYTES))) == MAX_BYTES
    for data, message in (
        (b"#" * (MAX_BYTES + 1), "larger than a policy can be: at most 1,000,000 bytes are read"),
        (b"\xff", r"not text \(UTF-8\): it is damaged, or no policy"),
    ):
        with pytest.raises(InputError, match=f"^{message}$"):
            read_text(io.BytesIO(data))


def test_an_error_about_a_long_key_is_cut() -> None:
    with pytest.raises(InputError) as error:
        from_plain({"x" * 900: 1})
    assert str(error.value) == "the policy: " + f"there is no key '{'x' * 900}"[:500] + "..."
