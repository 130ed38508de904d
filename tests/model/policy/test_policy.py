"""Policies from Python and from TOML are the same values; what cannot be meant gets one clear error."""

import contextlib
import math
import tomllib
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from conceptrules.model import Column, InputError
from conceptrules.model.policy import (
    Apart,
    Banned,
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
from conceptrules.model.policy.plain import from_plain, from_toml, to_plain
from conceptrules.model.policy.policy import check_policy
from tests.strategies import names, values

WHOLE = """
order = ["no", "maybe", "yes"]
independent = ["zip"]
forbidden = ["race", "sex"]
apart = [["age", "job"]]
default = "no"
priority = ["yes", "maybe", "no"]
max_edges = 40
max_rules = 10
max_literals = 4
min_rows = 20
min_precision = 0.8
confidence = 0.95

[monotone]
income = "up"
debt = { direction = "down", missing = "lowest" }

[only_for]
age = ["yes"]

[cost]
income = 2.5

[[locked]]
rule = "debt > 5000"
class = "no"
mode = "decides"

[[banned]]
rule = "zip = 9"
class = "no"

[[fair]]
column = "sex"
positive = "yes"
bound = 0.05

[[implies]]
if = "income > 90000 and debt <= 0"
then = "yes"

[domain]
missing = ["debt"]
unseen = false
impossible = ["income <= 0 and job = cook"]
[domain.ranges]
age = [0, 120]
"""
ORDER = ("no", "maybe", "yes")
CLAUSES = (
    Monotone("income", "up", ORDER),
    Monotone("debt", "down", ORDER, "lowest"),
    Independent("zip"),
    Forbidden("race"),
    Forbidden("sex"),
    Apart("age", "job"),
    OnlyFor("age", ("yes",)),
    Cost("income", 2.5),
    Locked("debt > 5000", "no", "decides"),
    Banned("zip = 9", "no"),
    Default("no"),
    Priority(("yes", "maybe", "no")),
    Limit("edges", 40),
    Limit("rules", 10),
    Limit("literals", 4),
    LeastRows(20),
    LeastPrecision(0.8, 0.95),
    Fair("sex", "yes", 0.05),
    Implies("income > 90000 and debt <= 0", "yes"),
)
DOMAIN = Domain((("age", 0, 120),), ("debt",), False, ("income <= 0 and job = cook",))
COLUMNS = (
    Column("age"),
    Column("income"),
    Column("debt"),
    Column("job", "category", ("cook", "nurse")),
    Column("zip", "category"),
)


def test_a_file_with_every_clause():
    assert from_toml(WHOLE) == Policy(CLAUSES, DOMAIN)
    check_policy(from_toml(WHOLE), COLUMNS, ORDER)


def test_from_python():
    assert Policy.of(**tomllib.loads(WHOLE)) == Policy(CLAUSES, DOMAIN)
    assert Policy.of() == Policy()


def test_each_clause_says_what_it_asks_for():
    texts = [clause.text for clause in CLAUSES]
    assert len(set(texts)) == len(texts)
    assert texts[0] == "as income rises, the decision never gets worse (no < maybe < yes)"
    assert CLAUSES[17].text == "the positive rates of yes between groups of sex differ by at most 0.05"


@example(["a", "b"], [math.inf, "c"])  # a class may be infinite
@given(st.lists(names(), unique=True, min_size=2, max_size=4), st.lists(values(), unique=True, min_size=2, max_size=3))
def test_plain_values_give_the_policy_back(columns, classes):
    policy = Policy(
        (
            Monotone(columns[0], "down", tuple(classes), "lowest"),
            *map(Forbidden, columns),
            Apart(*columns[:2]),
            OnlyFor(columns[1], tuple(classes[1:])),
            Locked(columns[0], classes[0]),
            Priority(tuple(classes)),
            LeastPrecision(0.5),
        ),
        Domain(((columns[0], -1, 2),), tuple(columns)),
    )
    assert from_plain(to_plain(policy)) == policy


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("monoton = 3", "there is no key 'monoton'; did you mean 'monotone'?"),
        ("x = 3", "there is no key 'x'; it can have monotone"),
        ("monotone = 'up'", "monotone: expected a table"),
        ("monotone.age = 'rising'", "monotone.age: direction must be 'up' or 'down', found 'rising'"),
        ("monotone.age = 3", "monotone.age: expected a table"),
        ("monotone.age = {missing = 'lowest'}", "no direction is given"),
        ("monotone.age = {direction = 'up', order = ['a', 'b', 'a']}", "goes in a circle, a < b < a"),
        ("order = ['a', 'a']", "order: the order of the classes goes in a circle"),
        ("forbidden = 'race'", "put it in square brackets"),
        ("forbidden = [3]", "expected text, found 3"),
        ("forbidden = ['a', 'a']", "forbidden.a is asked for twice"),
        ("apart = [['a', 'a']]", "a column always meets itself"),
        ("apart = [['a']]", "expected pairs of columns"),
        ("only_for.a = []", "no class is named"),
        ("cost.a = -1", "cost must be a number from 0 up"),
        ("cost.a = nan", "cost must be a number"),
        ("max_edges = 2.5", "max_edges must be a whole number"),
        ("max_edges = true", "max_edges must be a whole number"),
        ("min_precision = 2", "must be a number from 0 to 1"),
        ("confidence = 0.9", "confidence goes with min_precision"),
        ("priority = ['a', 'b', 'a']", "goes in a circle"),
        ("default = []", "expected a class"),
        ("[[locked]]\nclass = 'a'", "'rule' is missing"),
        ("[[locked]]\nrule = 'x > 1'\nclass = 'a'\nmode = 'soft'", "mode must be 'keep' or 'decides'"),
        ("max_rules = 0\n[[locked]]\nrule = 'x > 1'\nclass = 'a'", "max_rules = 0, but 1 rules are locked"),
        ("[[implies]]\nif = 'x > 1'\nthen = 'a'\n[[implies]]\nif = 'x > 1'\nthen = 'b'", "twice and differently"),
        ("[[fair]]\ncolumn='s'\npositive='a'\nbound=0.1\nmeasure='x'", "measure must be 'positive_rate'"),
        ("domain.ranges.age = [5, 1]", "two numbers, the least first"),
        (f"domain.ranges.age = [5, {10**400}]", "two numbers, the least first"),
        (f"[[bounds]]\nmost = {10**400}", "bounds are numbers"),
        (f"cost.a = {10**400}", "cost must be a number from 0 up"),
        ("domain.ranges.age = [5]", "expected the least and the greatest value"),
        ("domain.unseen = 1", "expected true or false"),
        ("domain.x = 1", "there is no key 'x'"),
        ("a = ", "not a policy: no TOML"),
        ("a = " + "[" * 100_000, "not a policy: no TOML"),
        ("forbidden = [" + ",".join(f"'{i}'" for i in range(20_000)) + "]", "more than 10,000 clauses"),
        ("domain.impossible = [" + "'x > 1'," * 501 + "]", "501 rules in words; a policy can have 500"),
        ("max_edges = " + "9" * 5_000, "not a policy: no TOML"),
        ("x" * 900_000 + " = 1", "there is no key 'xxx"),
        ("order = ['" + "x" * 900_000 + "', 'a', 'a']", "goes in a circle"),
        ("default = 2020-01-01", "expected a class"),
        ('{"forbidden": ["race"]}', "not a policy: no TOML"),
        ("max_edges = 1\nmax_edges = 2", "not a policy: no TOML"),
    ],
)
def test_hostile_files_get_one_error(text, message, tmp_path):
    (tmp_path / "policy.toml").write_text(text)
    with pytest.raises(InputError) as error:
        Policy.read(tmp_path / "policy.toml")
    assert message in str(error.value)
    assert "policy.toml: " in str(error.value)
    assert len(str(error.value)) < 1_000


def test_files_that_are_no_text_or_too_large(tmp_path):
    (tmp_path / "p.toml").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(InputError, match="not text"):
        Policy.read(tmp_path / "p.toml")
    (tmp_path / "p.toml").write_bytes(b"#" * 1_000_001)
    with pytest.raises(InputError, match="larger than a policy can be"):
        Policy.read(tmp_path / "p.toml")


@given(st.text())
def test_any_text_is_a_policy_or_an_error(text):
    with contextlib.suppress(InputError):
        assert isinstance(from_toml(text), Policy)


@pytest.mark.parametrize(
    ("policy", "message"),
    [
        (Policy.of(monotone={"incme": "up"}), "monotone.incme: there is no column 'incme'; did you mean income?"),
        (Policy.of(monotone={"job": "up"}), "is a category, which has no order"),
        (
            Policy.of(monotone={"pay": "up"}, order=ORDER, forbidden=["pay"]),
            "monotone.pay: the column 'pay' is forbidden, so no rule asks about it; take one of the two clauses out",
        ),
        (Policy.of(default="never"), "default: there is no class 'never'"),
        (Policy.of(priority=["yes", "no"]), "priority must list each class once"),
        (Policy.of(order=["no", "yes"], monotone={"age": "up"}), "the order must list each class once"),
        (Policy.of(better="yes", monotone={"age": "up"}), "the order must list each class once"),
        (
            Policy.of(monotone={"age": "up"}),
            'worst to the best: write order = ["no", "maybe", "yes"], if that is how they stand',
        ),
        (
            Policy.of(implies=[{"if": "agee > 3", "then": "no"}]),
            "implies.agee > 3: in the rule 'agee > 3', at",
        ),
        (Policy.of(implies=[{"if": "job = nurs", "then": "no"}]), "no category 'nurs'; did you mean nurse?"),
        (Policy.of(domain={"impossible": ["x > 3"]}), "domain.impossible[0]: in the rule"),
        (Policy.of(domain={"ranges": {"job": [0, 1]}}), "the column is not ordered"),
        (Policy.of(domain={"missing": ["x"]}), "domain: there is no column 'x'"),
        (
            Policy.of(locked=[{"rule": "age > 3", "class": "no"}], forbidden=["age"]),
            "locked.age > 3 contradicts forbidden.age",
        ),
        (
            Policy.of(locked=[{"rule": "age > 3", "class": "no"}], only_for={"age": ["yes"]}),
            "locked.age > 3 contradicts only_for.age",
        ),
        (
            Policy.of(locked=[{"rule": "age > 3 and debt > 1", "class": "no"}], apart=[["debt", "age"]]),
            "contradicts apart.debt.age",
        ),
        (Policy.of(locked=[{"rule": "age > 3 and debt > 1", "class": "no"}], max_literals=1), "has 2 literals"),
        (Policy.of(apart=[["age", "x"]]), "apart.age.x: there is no column 'x'"),
        (Policy.of(apart=[["x", "age"]]), "apart.x.age: there is no column 'x'"),
        (Policy.of(only_for={"x": ["no"]}), "only_for.x: there is no column 'x'"),
        (Policy.of(cost={"x": 2}), "cost.x: there is no column 'x'"),
        (Policy.of(independent=["x"]), "independent.x: there is no column 'x'"),
        (Policy.of(independent=["x"], forbidden=["y"]), "independent.x: there is no column 'x'"),
        (Policy.of(only_for={"age": ["no", "never"]}), "only_for.age: there is no class 'never'"),
        (Policy.of(banned=[{"rule": "age > 3", "class": "never"}]), "banned.never.age > 3: there is no class 'never'"),
        (Policy.of(fair=[{"column": "s", "positive": "never", "bound": 0}]), "there is no class 'never'"),
        (Policy.of(banned=[{"rule": "agee > 3", "class": "no"}]), "banned.no.agee > 3: in the rule 'agee > 3', at"),
        (Policy.of(domain={"ranges": {"job": [0.5, 1]}}), "domain.ranges.job: the column is not ordered, so 0.5 means"),
    ],
)
def test_names_that_are_not_there(policy, message):
    with pytest.raises(InputError) as error:
        check_policy(policy, COLUMNS, ORDER)
    assert message in str(error.value)


def test_an_error_about_a_long_name_is_short():
    for policy in (
        Policy.of(default="x" * 900_000),
        Policy.of(monotone={"x" * 900_000: "up"}),
        Policy.of(implies=[{"if": "(" * 40_000 + "x" + ")" * 40_000, "then": "no"}]),
    ):
        with pytest.raises(InputError) as error:
            check_policy(policy, COLUMNS, ORDER)
        assert len(str(error.value)) < 1_000


def test_an_empty_file_asks_for_nothing(tmp_path):
    (tmp_path / "p.toml").write_text("# nothing yet\n")
    assert Policy.read(tmp_path / "p.toml") == Policy()


def test_only_clauses_make_a_policy():
    with pytest.raises(InputError, match="made of clauses"):
        Policy(("age",))


def test_what_may_stand_together() -> None:
    rule = {"rule": "age > 3 and job = cook", "class": "no"}
    for policy in (
        Policy.of(forbidden=["race"], independent=["race"]),
        Policy.of(locked=[rule], max_literals=2, max_rules=1, max_edges=1, forbidden=["debt"]),
        Policy.of(locked=[rule], only_for={"age": ["no"], "debt": ["yes"]}, apart=[["age", "debt"]]),
        Policy.of(banned=[{"rule": "job = baker", "class": "no"}]),
        Policy.of(implies=[{"if": "zip = anything", "then": "no"}]),
        Policy.of(domain={"ranges": {"age": [0, 1], "debt": [0, 1]}, "missing": ["job"]}),
        Policy.of(monotone={"debt": "up"}, order=ORDER),
    ):
        check_policy(policy, COLUMNS, ORDER)


RULE = {"rule": "age > 3", "class": "no"}


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ({"locked": [RULE], "max_edges": 0}, "max_edges = 0, but 1 rules are locked; allow more, or unlock some"),
        ({"locked": [RULE, {**RULE, "rule": "age > 4"}], "max_rules": 1},
         "max_rules = 1, but 2 rules are locked; allow more, or unlock some"),
        ({"forbidden": ["a", "b", "a"]}, "forbidden.a is asked for twice; take one of them out"),
        ({"implies": [{"if": "x > 1", "then": "a"}, {"if": "x > 1", "then": "b"}]},
         "implies.x > 1 is asked for twice and differently: if x > 1, then a; if x > 1, then b"),
        ({"locked": [{**RULE, "mode": "decides"}], "implies": [{"if": "age > 3", "then": "yes"}]},
         "implies.age > 3 contradicts locked.age > 3: if age > 3, then yes, "
         "but no has the rule: age > 3; where it holds, no is answered"),
    ],
)  # fmt: skip
def test_what_no_network_satisfies_is_refused_at_once(keys: dict[str, object], message: str) -> None:
    with pytest.raises(InputError) as error:
        Policy.of(**keys)
    assert str(error.value) == message


def test_clauses_that_agree_or_only_keep_a_rule_do_not_contradict() -> None:
    for mode, label in (("keep", "yes"), ("decides", "no")):
        keys = {"locked": [{**RULE, "mode": mode}], "implies": [{"if": "age > 3", "then": label}]}
        assert len(Policy.of(**keys).clauses) == 2


def test_clauses_are_kept_by_kind_and_limits_by_size() -> None:
    clauses = (Limit("literals", 1), Default("a"), Limit("rules", 2), Forbidden("b"), Limit("edges", 3), Forbidden("a"))
    policy = Policy(clauses)
    assert [clause.name for clause in policy.clauses] == [
        "forbidden.b", "forbidden.a", "default", "max_edges", "max_rules", "max_literals",
    ]  # fmt: skip
    assert policy.of_kind(Forbidden) == (Forbidden("b"), Forbidden("a"))
    assert policy.of_kind(Cost) == ()


def test_all_rows_are_possible_unless_told_otherwise() -> None:
    domain = Domain()
    assert domain.can_miss("age")
    assert domain.unseen
    assert domain.names == ()


def test_gaps_are_possible_everywhere_nowhere_or_in_some_columns() -> None:
    assert not Domain(missing=False).can_miss("age")
    some = Domain(missing=["age"])  # type: ignore[arg-type]
    assert some.missing == ("age",)
    assert some.can_miss("age")
    assert not some.can_miss("job")


def test_the_names_are_those_of_ranges_and_gaps() -> None:
    assert Domain(ranges=(("age", 0, 120),), missing=("job",)).names == ("age", "job")


def test_lists_become_tuples_so_that_domains_are_values() -> None:
    domain = Domain(ranges=[["age", 0, 120]], impossible=["age > 90"])  # type: ignore[arg-type, list-item]
    assert domain == Domain(ranges=(("age", 0, 120),), impossible=("age > 90",))
    assert hash(domain) == hash(Domain(ranges=(("age", 0, 120),), impossible=("age > 90",)))


@pytest.mark.parametrize(("low", "high"), [(1, 1), (-math.inf, 0), (0.5, math.inf)])
def test_one_value_and_infinities_are_ranges(low: float, high: float) -> None:
    assert Domain(ranges=(("age", low, high),)).ranges == (("age", low, high),)


@pytest.mark.parametrize(
    ("low", "high"), [(2, 1), (math.nan, 1), (0, math.nan), (False, 1), (0, True), ("0", 1), (0, None)]
)
def test_what_is_no_range_is_refused(low: Any, high: Any) -> None:
    with pytest.raises(InputError, match=r"domain\.ranges\.age must be two numbers, the least first"):
        Domain(ranges=(("age", low, high),))


def test_a_column_has_one_range() -> None:
    with pytest.raises(InputError, match="'age' twice"):
        Domain(ranges=(("age", 0, 1), ("job", 0, 1), ("age", 0, 1)))
