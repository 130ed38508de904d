"""
Do the probabilities come true?
===============================

A rule that is right on all its training rows is not right on all rows. ``predict_proba`` is corrected by what held-out
rows showed, so that 90 % means nine out of ten.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.model_selection import train_test_split

from conceptrules import ConceptRuleClassifier

chance = np.random.default_rng(0)
X = chance.normal(size=(3_000, 6))
y = np.where(X[:, 0] + X[:, 1] * (X[:, 2] > 0) + chance.normal(0, 1, 3_000) > 0, "yes", "no")
X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=2_000, random_state=0)
clf = ConceptRuleClassifier(effort="fast", random_state=0).fit(X_train, y_train)

# %%
# A point for each probability that the network states, as large as the number of its rows:
stated = clf.predict_proba(X_test)[:, list(clf.classes_).index("yes")]
curve, axes = plt.subplots(figsize=(5, 5), layout="constrained")
axes.plot([0, 1], [0, 1], color="grey", linewidth=1)
for value in np.unique(stated):
    rows = stated == value
    true = np.mean(y_test[rows] == "yes")
    print(f"stated {value:.2f}: came true on {true:.2f} of {rows.sum()} rows")
    axes.scatter(value, true, s=20 + rows.sum() / 4, color="tab:blue")
axes.set(xlabel="stated probability of yes", ylabel="share of yes among held-out rows", xlim=(0, 1), ylim=(0, 1))
plt.show()
