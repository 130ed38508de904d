"""
The eight lines of tic-tac-toe
==============================

The table has every final board, and whether x has won. Nobody told the learner about lines.
"""

from conceptrules import ConceptRuleClassifier, datasets

boards = datasets.load("tic-tac-toe")
clf = ConceptRuleClassifier(effort="fast", random_state=0).fit(boards.X, boards.y)
print(f"right on {clf.score(boards.X, boards.y):.0%} of the {len(boards.y)} boards\n")
print(clf.network_)

# %%
# The squares are numbered row by row, so 1, 5, 9 is a diagonal. One class, drawn as the stack of its rules:

lines = clf.network_.draw("positive")
lines
