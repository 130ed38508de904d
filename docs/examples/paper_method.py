"""
The method of the paper
=======================

``MLLPClassifier`` trains a network of logical neurons by gradient descent and rounds its weights to rules on the way.
The result is the same kind of network.
"""

from conceptrules import MLLPClassifier, datasets, plots

wine = datasets.load("wine")
clf = MLLPClassifier(layers=(8,), max_epochs=60, random_state=0).fit(wine.X, wine.y)
print(clf.network_)

# %%

history = plots.history(clf.history_, training=clf.network_.training)
history

# %%

network = clf.network_.draw()
network
