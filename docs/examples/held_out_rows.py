"""
Scores on rows that were not learned from
=========================================

``evaluate`` gives the usual scores, and the confusion matrix shows which classes are mixed up.
"""

from sklearn.metrics import confusion_matrix
from sklearn.model_selection import train_test_split

from conceptrules import ConceptRuleClassifier, datasets, plots

cells = datasets.load("breast-cancer")
frame = cells.X.to_pandas()
X_train, X_test, y_train, y_test = train_test_split(frame, cells.y, stratify=cells.y, random_state=0)
clf = ConceptRuleClassifier(effort="fast", random_state=0).fit(X_train, y_train)
print(clf.evaluate(X_test, y_test))

# %%

matrix = plots.confusion(confusion_matrix(y_test, clf.predict(X_test)), clf.classes_)
matrix
