"""
How many rules are enough
=========================

One fit learns small and large networks. The Pareto front shows what each further edge buys on held-out rows.
"""

from conceptrules import ConceptRuleClassifier, datasets, plots

cells = datasets.load("breast-cancer")
clf = ConceptRuleClassifier(effort="fast", random_state=0).fit(cells.X, cells.y)
front = plots.pareto_front(clf.frontier_)
front

# %%
# ``select`` switches to a smaller network without fitting again.

print(clf.select(edges=4).network_)
