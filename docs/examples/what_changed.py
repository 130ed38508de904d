"""
What changed since last month
=============================

``diff`` compares two models rule by rule. Then it decides, for all possible rows, whether they give the same answers.
"""

import numpy as np
import pandas as pd

from conceptrules import ConceptRuleClassifier, diff


def month(cut: int, seed: int) -> tuple[pd.DataFrame, np.ndarray]:
    chance = np.random.default_rng(seed)
    table = pd.DataFrame({"amount": chance.integers(1, 1_000, 600), "country": chance.choice(["at", "de", "fr"], 600)})
    return table, np.where((table.amount > cut) & (table.country != "at"), "check", "pass")


models = [ConceptRuleClassifier(effort="fast", random_state=0).fit(*month(*one)) for one in ((600, 0), (450, 1))]
found = diff(models[0].network_, models[1].network_)
for section in found.sections:
    for old, new in section.changed:
        print(f"{section.name}: {old}  ->  {new}")
print("every row gets the same class" if found.same else f"this row is {' -> '.join(found.decisions)}: {found.row}")

# %%
# The network of last month:

before = models[0].network_.draw()
before

# %%
# And the one of this month:

after = models[1].network_.draw()
after
