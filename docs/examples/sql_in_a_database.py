"""
Decide inside the database
==========================

A network is a few comparisons, so it runs as plain SQL. This is the short form for reviewers, which takes
the types of the table at their word; the default form checks them.
"""

import sqlite3

from conceptrules import ConceptRuleClassifier, datasets

wine = datasets.load("wine")
clf = ConceptRuleClassifier(effort="fast", max_edges=6, random_state=0).fit(wine.X, wine.y)
query = clf.export("sql", dialect="sqlite", table="wine", trust_types=True)
print(query)

# %%
# The same rows, in SQLite and in Python:

database = sqlite3.connect(":memory:")
wine.X.to_pandas().to_sql("wine", database)
answers = [row[-1] for row in database.execute(query)]
print(f"{sum(answers == clf.predict(wine.X))} of {len(answers)} rows get the same class")
network = clf.network_.draw()
network
