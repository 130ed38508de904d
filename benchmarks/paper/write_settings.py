"""Writes the settings of baselines and of P = 0 once, `python -m benchmarks.paper.write_settings`; what exists stays.

They are meant to be read and edited by hand afterwards: this only spares the typing of a hundred files.
"""

from __future__ import annotations

from benchmarks.paper.reference import BASELINES, NAMES, OURS, data_names
from benchmarks.paper.settings import FOLDER
from conceptrules.datasets.catalogue import catalogue

SMALL = 2_000
LARGE = 37_500  # 30 thousand training rows

CART = """\
# {data}, CART: scikit-learn's tree as it comes. Nothing is chosen, so there is no search.
inputs = "plain"
"""
FOREST = """\
# {data}, RF({trees}): {trees} trees, otherwise as scikit-learn has it. Nothing is chosen, so there is no search.
inputs = "plain"

[fixed]
n_estimators = {trees}
"""
LR = """\
# {data}, logistic regression (multinomial, L2). Validation chooses C.
inputs = "plain"
standardise = true
{tune}
[fixed]
max_iter = 1000

[search]
C = [1.0, 0.1, 10.0]
"""
SVM = """\
# {data}, support vectors: LinearSVC (one class against the rest) or SVC with an RBF kernel. Validation chooses.
inputs = "plain"
standardise = true
{tune}
[fixed]
cache_size = 2000
max_iter = {iterations}

[search]
kernel = ["rbf", "linear"]
C = [1.0, 10.0]
"""
PLNN = """\
# {data}, PLNN: a multilayer perceptron with ReLU, trained by Adam. Validation chooses sizes and weight decay.
inputs = "plain"
standardise = true
{tune}
[fixed]
max_iter = {epochs}

[search]
hidden_layer_sizes = {sizes}
alpha = [1e-4, 1e-2]
"""
GBDT = """\
# {data}, GBDT: LightGBM on one thread. Validation chooses.
inputs = "plain"
{tune}
[fixed]
learning_rate = 0.1

[search]
{search}
"""
C45 = """\
# {data}, C4.5: Weka's J48 on one-hot inputs, at its own defaults. Nothing is chosen, so there is no search.
inputs = "plain"

[fixed]
confidence = 0.25
min_rows = 2
"""
SBRL = """\
# {data}, SBRL: pysbrl on the bits of the Binarizer, which are cut inside the fold. Several classes are one list with a
# share of each class a rule, as pysbrl does it (its own extension of the published method).
inputs = "bits"
{tune}
[fixed]
max_rule_len = 2
eta = 1
iters = 30000
max_rules = 5000
n_chains = 10

[search]
min_support = [0.02, 0.1]
lambda_ = {lengths}
"""

ZERO = """\
# {data}, {name}: what was chosen for the CRS of each fold (crs.toml), without random binarization.
{read}binarization_rate = 0.0
"""


def zero_text(data: str, model: str) -> str:
    read = "# Read off the MLLP that mllp0.toml describes, so please change both.\n" if model == "crs0" else ""
    return ZERO.format(data=data, name=NAMES[model], read=read)


def text_of(data: str, model: str) -> str:
    if model in OURS:
        return zero_text(data, model)
    rows = catalogue()[data].rows
    small, large = rows < SMALL, rows > LARGE
    tune = "# The search learns from so many rows of the training fold; the chosen settings from all.\n"
    tune = tune + "tune_rows = 10000\n" if large else ""
    trees = {"rf10": 10, "rf100": 100}.get(model)
    if trees:
        return FOREST.format(data=data, trees=trees)
    # Leaves of 20 rows are much for a table of a hundred, and more trees only pay where there is much to learn.
    search = "min_child_samples = [20, 5]\nnum_leaves = [31, 7]" if small else "n_estimators = [100, 300]"
    template = {"cart": CART, "lr": LR, "svm": SVM, "plnn": PLNN, "gbdt": GBDT, "c45": C45, "sbrl": SBRL}[model]
    return template.format(
        data=data,
        tune=tune,
        iterations=100_000 if small else 1_000_000,
        epochs=1000 if small else 100,
        sizes="[[64], [64, 64]]" if small else "[[128], [128, 64]]",
        search=search,
        lengths="[5, 20]" if small else "[20, 50]",
    )


def main() -> None:
    for data in data_names():
        for model in (*BASELINES, "mllp0", "crs0"):
            path = FOLDER / data / f"{model}.toml"
            path.parent.mkdir(parents=True, exist_ok=True)
            if not path.exists():
                path.write_text(text_of(data, model), encoding="utf-8")


if __name__ == "__main__":
    main()
