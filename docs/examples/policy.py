"""
Learn under a policy, and prove it
==================================

More income must never hurt, more debt must never help, and nobody asks for the sex. The network is learned that way,
and that it is so is proved for all rows there can be.
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

print(clf.network_.prove(policy))

# %%
# Without the policy, the network repeats what past decisions did, and the proof fails with the rules that do so.

free = ConceptRuleClassifier(effort="fast", random_state=0).fit(applicants, answers)
print(free.network_.prove(policy))
network = clf.network_.draw()
