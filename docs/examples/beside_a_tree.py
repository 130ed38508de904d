"""
Beside a decision tree
======================

The same cross-validation, the same table: how good are rules and a tree, and how large?
"""

import matplotlib.pyplot as plt
from sklearn.model_selection import cross_validate
from sklearn.tree import DecisionTreeClassifier

from conceptrules import ConceptRuleClassifier, datasets

cells = datasets.load("breast-cancer")
frame = cells.X.to_pandas()
models = {
    "rules": ConceptRuleClassifier(effort="fast", random_state=0),
    "tree": DecisionTreeClassifier(random_state=0),
}
runs = {
    name: cross_validate(model, frame, cells.y, cv=3, scoring="f1_macro", return_estimator=True)
    for name, model in models.items()
}

# %%
# The edges of a network beside the branches of a tree:


def size(model: ConceptRuleClassifier | DecisionTreeClassifier) -> int:
    """Return the edges of a network, or the branches of a tree."""
    return model.tree_.node_count - 1 if isinstance(model, DecisionTreeClassifier) else model.network_.edges


beside, axes = plt.subplots(figsize=(6, 3.5), layout="constrained")
for name, run in runs.items():
    sizes = [size(model) for model in run["estimator"]]
    print(f"{name}: macro-F1 {run['test_score'].mean():.3f}, {sum(sizes) / 3:.0f} edges")
    axes.scatter(sizes, run["test_score"], label=name, s=60)
axes.set(xlabel="edges", ylabel="macro-F1 on the held-out fold")
axes.set_xlim(left=0)
axes.legend(loc="lower right")
plt.show()
