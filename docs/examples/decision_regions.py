"""
What rules look like in the plane
=================================

A rule is a box: an interval of each column that it asks about. This table has two columns, so the boxes can be drawn.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from conceptrules import ConceptRuleClassifier

chance = np.random.default_rng(0)
points = pd.DataFrame(chance.uniform(-1, 1, size=(600, 2)), columns=["x", "y"])
inside = (points.abs() < 0.6).all(axis=1) & (points.sum(axis=1) < 0.7)
labels = np.where(inside ^ (chance.random(600) < 0.03), "in", "out")

clf = ConceptRuleClassifier(effort="fast", random_state=0).fit(points, labels)
print(clf.network_)

# %%

side = np.linspace(-1, 1, 150)
x, y = (values.ravel() for values in np.meshgrid(side, side))
answers = (clf.predict(pd.DataFrame({"x": x, "y": y})) == "in").reshape(150, 150)

regions, axes = plt.subplots(figsize=(5, 5), layout="constrained")
axes.contourf(side, side, answers, levels=[-0.5, 0.5, 1.5], colors=["#e8eef7", "#9fc0e8"])
for label, marker in (("in", "o"), ("out", "x")):
    axes.scatter(points.x[labels == label], points.y[labels == label], s=12, marker=marker, label=label, linewidth=0.8)
axes.legend(loc="upper right")
axes.set(xlabel="x", ylabel="y", aspect="equal")
plt.show()
