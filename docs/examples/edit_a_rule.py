"""
Change a rule in words
======================

An edit says what it does before anything is written: which rows get another class, and whether that is right.
"""

from conceptrules import ConceptRuleClassifier, datasets
from conceptrules.edit import AddRule

wine = datasets.load("wine")
network = ConceptRuleClassifier(effort="fast", random_state=0).fit(wine.X, wine.y).network_
edited = network.edit(
    AddRule("Alcohol > 13.5 and Proline > 1000", "1"), data=wine.X, labels=wine.y, who="anna", why="the cellar's rule"
)
edited

# %%
# The edit stays in the model, with who made it and why.

print(edited.network)
drawn = edited.network.draw()
drawn
