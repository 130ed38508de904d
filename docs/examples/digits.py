"""
Handwritten digits, by concepts that have names
===============================================

Rules on pixels say nothing: ``pixel 36 > 7`` is no reason. Rules on concepts that a person can name do: how many
strokes a line across the digit meets, whether there is a hole, where the ink is. A few lines of NumPy work them out
from the 8 x 8 pixels that come with scikit-learn. They are this example's own: the package learns from columns, and
knows no images. What is lost against the pixels is shown as well.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.datasets import load_digits
from sklearn.ensemble import RandomForestClassifier

from conceptrules import MLLPClassifier, ScorecardClassifier

images, digits = load_digits(return_X_y=True)
images = images.reshape(-1, 8, 8)
ink = images > 6
PLACES = {"top": slice(0, 3), "middle": slice(3, 5), "bottom": slice(5, 8)}
SIDES = {"left": slice(0, 3), "center": slice(3, 5), "right": slice(5, 8)}


def count_strokes(lines):
    """Return how often each line of pixels goes from paper to ink."""
    starts = np.diff(lines.astype(int), axis=1, prepend=0) == 1
    return starts.sum(axis=1)


def find_holes(ink):
    """Return the paper that ink encloses: what the paper around the digit cannot flow into."""
    paper = np.pad(~ink, ((0, 0), (1, 1), (1, 1)), constant_values=True)
    outside = np.zeros_like(paper)
    outside[:, 0] = True
    for _ in range(40):
        wider = outside.copy()
        wider[:, 1:] |= outside[:, :-1]
        wider[:, :-1] |= outside[:, 1:]
        wider[:, :, 1:] |= outside[:, :, :-1]
        wider[:, :, :-1] |= outside[:, :, 1:]
        outside = wider & paper
    return (paper & ~outside)[:, 1:-1, 1:-1]


holes = find_holes(ink)
concepts = pd.DataFrame(
    {
        "hole above": holes[:, :4].any(axis=(1, 2)),
        "hole below": holes[:, 4:].any(axis=(1, 2)),
        "strokes across the top": count_strokes(ink[:, 2]),
        "strokes across the middle": count_strokes(ink[:, 4]),
        "strokes across the bottom": count_strokes(ink[:, 5]),
        "strokes downwards": count_strokes(ink[:, :, 4]),
        **{
            f"ink {place} {side}": images[:, rows, columns].mean(axis=(1, 2)).round(1)
            for place, rows in PLACES.items()
            for side, columns in SIDES.items()
        },
    }
)
train = np.arange(len(digits)) % 3 > 0
print(concepts[:3].T)

# %%
# A scorecard adds points for each digit, and its reasons for an answer can be read: here those for an 8.

card = ScorecardClassifier(effort="fast", max_edges=200, random_state=0).fit(concepts[train], digits[train])
network = card.network_
answers = card.predict(concepts)
row = int(np.flatnonzero(~train & (digits == 8) & (answers == 8))[0])
explanation = network.explain(concepts[row : row + 1])
print(explanation.sentence)
for line in explanation.contributions:
    if line.points[8]:
        print(f"{line.points[8]:+4d}  {line.text}")

# %%
# The paper's method learns rules from the same columns. How far both go, beside what a forest gets out of the concepts
# and out of the pixels:

paper = MLLPClassifier(layers=(64,), max_epochs=60, random_state=0, n_jobs=1).fit(concepts[train], digits[train])
forest = RandomForestClassifier(random_state=0)
pixels = images.reshape(-1, 64)
shares = {
    f"scorecard, {card.network_.edges} edges": card.score(concepts[~train], digits[~train]),
    f"paper's method, {paper.network_.edges} edges": paper.score(concepts[~train], digits[~train]),
    "forest on concepts": forest.fit(concepts[train], digits[train]).score(concepts[~train], digits[~train]),
    "forest on pixels": forest.fit(pixels[train], digits[train]).score(pixels[~train], digits[~train]),
}
for name, share in shares.items():
    print(f"{name:32} {share:.1%} right")

# %%
# Where the card looks: for each digit, how many points depend on the ink in each part, over the mean of its images.

figure, axes = plt.subplots(2, 5, figsize=(9, 4.2))
for digit, axis in enumerate(axes.flat):
    looked = np.zeros((8, 8))
    for rule, points in zip(network.levels[0].rules, network.head.points, strict=True):
        asked = {network.predicates[literal.index].column for literal in rule.literals}
        for place, rows in PLACES.items():
            for side, columns in SIDES.items():
                if f"ink {place} {side}" in asked:
                    looked[rows, columns] += abs(points[digit])
    axis.imshow(images[train & (digits == digit)].mean(axis=0), cmap="Greys")
    axis.imshow(looked, cmap="Oranges", alpha=0.55)
    axis.set_title(str(digit))
    axis.axis("off")
figure.suptitle("Points that depend on the ink there")
figure.tight_layout()
plt.show()
