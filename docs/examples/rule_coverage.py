"""
What each rule is worth
=======================

How many rows does a rule cover, and how many of them belong to its class? How many decisions depend on a column?
"""

from conceptrules import ConceptRuleClassifier, coverage, datasets, importance, plots

cells = datasets.load("breast-cancer")
clf = ConceptRuleClassifier(effort="fast", random_state=0).fit(cells.X, cells.y)

covered = plots.coverage(coverage(clf.network_))
covered

# %%
# Importance counts the decisions that change without a rule or a column. No approximation is needed: the network is
# simply asked again without it.

weights = plots.importance(importance(clf.network_, cells.X))
weights
