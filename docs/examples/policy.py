"""
Learn under a policy, and prove it
==================================

More income must never hurt, more debt must never help, and no rule may ask about the sex. The network is learned under
this policy, and then proved to satisfy it for all possible rows.
"""

import numpy as np
import pandas as pd

from conceptrules import ConceptRuleClassifier, Policy

chance = np.random.default_rng(1)
applicants = pd.DataFrame(
    {
        "income": chance.integers(10, 100, 400),
        "debt": chance.integers(0, 50, 400),
        "sex": chance.choice(["f", "m"], 400),
    }
)
# Past decisions were unfair: they asked 25 more of women.
needed = np.where(applicants.sex == "f", 45, 20)
answers = np.where(applicants.income - applicants.debt + chance.normal(0, 8, 400) > needed, "yes", "no")

policy = Policy.of(order=["no", "yes"], monotone={"income": "up", "debt": "down"}, forbidden=["sex"], max_edges=12)
clf = ConceptRuleClassifier(policy=policy, effort="fast", random_state=0).fit(applicants, answers)
print(clf.network_)

# %%

clf.network_.prove(policy)

# %%
# Without the policy, the network repeats past decisions, and the proof fails and shows where.

free = ConceptRuleClassifier(effort="fast", random_state=0).fit(applicants, answers)
free.network_.prove(policy)

# %%
# The network that was learned under the policy:

network = clf.network_.draw()
network
