"""
First rules
===========

Fit, print the rules, draw the network: the whole model fits on a screen.
"""

from conceptrules import ConceptRuleClassifier, datasets

wine = datasets.load("wine")
clf = ConceptRuleClassifier(effort="fast", random_state=0).fit(wine.X, wine.y)
print(clf.network_)

# %%
# Columns are at the bottom, rules in the middle, classes on top.

network = clf.network_.draw()
network
