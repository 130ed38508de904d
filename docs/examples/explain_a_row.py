"""
Why this row?
=============

An explanation names the rule that decided and the smallest change that would have given another answer.
The search for that change is exact.
"""

import numpy as np
import pandas as pd

from conceptrules import ConceptRuleClassifier

chance = np.random.default_rng(0)
applicants = pd.DataFrame(
    {
        "income": chance.integers(12, 90, 500) * 1_000,
        "debt": chance.integers(0, 30, 500) * 1_000,
        "age": chance.integers(18, 75, 500),
        "job": chance.choice(["cook", "nurse", "student"], 500),
    }
)
granted = (applicants.income > 30_000) & (applicants.debt < 15_000) & (applicants.job != "student")
clf = ConceptRuleClassifier(effort="fast", random_state=0).fit(applicants, np.where(granted, "grant", "refuse"))
print(clf.network_)
network = clf.network_.draw()
network

# %%
# Nobody gets younger or changes jobs overnight: ``fixed`` names the columns that must stay as they are.

clf.explain({"income": 26_000, "debt": 20_000, "age": 31, "job": "cook"}, fixed=["age", "job"])
