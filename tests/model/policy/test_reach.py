"""What clauses mean for columns that are worked out from others."""

from __future__ import annotations

from conceptrules.model import Column
from conceptrules.model.derived import Relation, name_derivation
from conceptrules.model.policy import Independent, Monotone, Policy
from conceptrules.model.policy.reach import reach_derived

RENT = Relation("income", "-", "rent")
COLUMNS = (Column("income"), Column("rent"), Column(name_derivation(RENT), derivation=RENT))


def test_clauses_about_one_column_are_all_kept() -> None:
    policy = Policy((Monotone("income", "up", ("no", "yes")), Independent("income"), Independent("rent")))
    assert reach_derived(policy, COLUMNS[:2]) == policy
    assert set(policy.clauses) < set(reach_derived(policy, COLUMNS).clauses)


def test_what_two_clauses_pass_on_to_one_column_is_kept_together() -> None:
    policy = Policy((Monotone("income", "up", ("no", "yes"), "incomparable"), Independent("rent")))
    assert reach_derived(policy, COLUMNS).clauses[2:] == (Independent(name_derivation(RENT)),)
