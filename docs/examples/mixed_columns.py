"""
Words, numbers, orders and gaps
===============================

Columns go in as they are: no encoding, no imputation, no scaling. A missing value is a value that rules can ask about.
"""

import numpy as np
import pandas as pd

from conceptrules import ConceptRuleClassifier

chance = np.random.default_rng(0)
rows = 500
orders = pd.DataFrame(
    {
        "size": pd.Categorical(chance.choice(["S", "M", "L", "XL"], rows), ["S", "M", "L", "XL"], ordered=True),
        "country": chance.choice(["at", "ch", "de", "fr", "it"], rows),
        "price": np.where(chance.random(rows) < 0.2, np.nan, chance.uniform(5, 200, rows).round(2)),
        "gift": chance.random(rows) < 0.3,
    }
)
returned = ((orders["size"] >= "L") & orders.country.isin(["de", "ch"])) | orders.price.isna()
clf = ConceptRuleClassifier(effort="fast", random_state=0).fit(orders, np.where(returned, "returned", "kept"))
print(clf.network_)

# %%
# Sizes have an order, so a rule can say *larger than M*; countries have none.
network = clf.network_.draw()
network
