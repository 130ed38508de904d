"""
Before the fit: leaks and identifiers
=====================================

A column that is filled in after the decision predicts perfectly, and is useless tomorrow. ``inspection_`` names what
is worth a look; on the command line, ``conceptrules inspect`` does so before anything is learned.
"""

import warnings

import numpy as np
import pandas as pd

from conceptrules import ColumnWarning, ConceptRuleClassifier

chance = np.random.default_rng(0)
rows = 400
stays = pd.DataFrame(
    {
        "patient": [f"p{number:04}" for number in chance.permutation(rows)],
        "age": chance.integers(18, 95, rows),
        "ward": chance.choice(["A", "B", "C"], rows),
        "admitted": pd.Timestamp("2024-01-01") + pd.to_timedelta(chance.integers(0, 365, rows), unit="D"),
    }
)
long = (stays.age + chance.normal(0, 10, rows) > 70) & (stays.ward != "C")
stays["bill"] = np.where(long, 9_000, 2_000) + chance.integers(0, 1_500, rows)  # written when the patient leaves
answers = np.where(long, "long", "short")

with warnings.catch_warnings():
    warnings.simplefilter("ignore", ColumnWarning)  # they say the same
    hasty = ConceptRuleClassifier(effort="fast", random_state=0).fit(stays, answers)
for finding in hasty.inspection_:
    print(finding)
print()
print(hasty.network_)

# %%
# Without these columns the rules say something that is known when a patient arrives.

sound = ConceptRuleClassifier(effort="fast", random_state=0)
sound.fit(stays.drop(columns=["patient", "bill", "admitted"]), answers)
print(sound.network_)
network = sound.network_.draw()
network
