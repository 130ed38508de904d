"""What policies cost on real tables: `python -m benchmarks.steering`.

Adult, on the five folds of the paper: learned freely, with education-num up, and with that, sex and race forbidden and
proved independent, and a difference of positive rates by sex of at most 0.05. LightGBM has `monotone_constraints`;
Fairlearn's exponentiated gradient bounds the rates of LightGBM's answers where it is installed. Then nursery, of five
ordered classes, with five columns that only raise the decision; tic-tac-toe with four of the eight lines locked; and
mushroom without odor. All ways of a fold run one after the other in one process, so that their times can be compared.
Each run is a line of benchmarks/records/steering.jsonl; the table of docs/steering.md is printed from them. Runs that
are recorded already are not repeated.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from itertools import product
from statistics import mean
from time import process_time
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks import digest, jsonl
from benchmarks.paper.folds import paper_folds
from benchmarks.paper.scores import macro_f1
from conceptrules import ConceptRuleClassifier, Policy, __version__, datasets

RECORD = jsonl.RECORDS / "steering.jsonl"
KEY = ("table", "way", "fold")
ADULT = {"order": ["<=50K", ">50K"], "monotone": {"education-num": "up"}}
HIDDEN = ["race", "sex"]
FAIR = {
    "fair": [{"column": "sex", "positive": ">50K", "bound": 0.05}],
    "forbidden": HIDDEN,
    "independent": HIDDEN,
}
NURSERY = {
    "parents": ["usual", "pretentious", "great_pret"],
    "has_nurs": ["proper", "less_proper", "improper", "critical", "very_crit"],
    "housing": ["convenient", "less_conv", "critical"],
    "finance": ["convenient", "inconv"],
    "social": ["nonprob", "slightly_prob", "problematic"],
}
NEED = ["not_recom", "recommend", "very_recom", "priority", "spec_prior"]
LINES = ["123", "456", "789", "159"]
LOCKED = [{"rule": " and ".join(f"{place} = x" for place in line), "class": "positive"} for line in LINES]
POLICIES: dict[tuple[str, str], Policy | None] = {
    ("adult", "free"): None,
    ("adult", "monotone"): Policy.of(**ADULT),
    ("adult", "monotone and fair"): Policy.of(**ADULT, **FAIR),
    ("nursery", "free"): None,
    ("nursery", "monotone"): Policy.of(order=NEED, monotone=dict.fromkeys(NURSERY, "up")),
    ("tic-tac-toe", "free"): None,
    ("tic-tac-toe", "four lines locked"): Policy.of(locked=LOCKED, default="negative"),
    ("mushroom", "free"): None,
    ("mushroom", "without odor"): Policy.of(forbidden=["odor"]),
}
Answers = NDArray[Any]


def learn_rules(policy: Policy | None, X: Any, y: Answers, test: Any) -> tuple[Answers, dict[str, Any]]:
    """Learn a network under a policy."""
    kinds = NURSERY if "has_nurs" in X.column_names else None
    clf = ConceptRuleClassifier(policy=policy, kinds=kinds, random_state=0, n_jobs=1).fit(X, y)
    verdicts = () if clf.network_.proof is None else clf.network_.proof.verdicts
    return clf.predict(test), {
        "edges": clf.network_.edges,
        "proved": all(verdict.outcome == "proved" for verdict in verdicts),
        digest.FIELD: digest.learner(digest.SEARCH),
    }


def learn_boosted(monotone: bool, fair: bool, X: Any, y: Answers, test: Any) -> tuple[Answers, dict[str, Any]]:
    """Fit LightGBM, with education-num up or not, and its rates by sex bound by Fairlearn or not."""
    lightgbm = import_module("lightgbm")
    frames = [table.to_pandas() for table in (X, test)]
    sex = [frame["sex"].to_numpy() for frame in frames]
    for name in frames[0].select_dtypes(exclude="number"):
        known = frames[0][name].astype("category").cat.categories
        for frame in frames:
            frame[name] = frame[name].astype("category").cat.set_categories(known).cat.codes
    frames = [frame.drop(columns=["race", "sex"]) if fair else frame for frame in frames]
    rising = [int(monotone and name == "education-num") for name in frames[0]]
    model = lightgbm.LGBMClassifier(verbose=-1, n_jobs=1, random_state=0, monotone_constraints=rising)
    if not fair:
        return model.fit(frames[0], y).predict(frames[1]), {}
    fairlearn = import_module("fairlearn.reductions")
    # Fairlearn bounds how far each group is from all rows, which of two groups is most for the smaller one.
    larger = max(float(np.mean(sex[0] == group)) for group in ("Female", "Male"))
    parity = fairlearn.DemographicParity(difference_bound=0.05 * larger)
    bounded = fairlearn.ExponentiatedGradient(model, parity, max_iter=15)
    bounded.fit(frames[0], (y == ">50K").astype(int), sensitive_features=sex[0])
    answers = bounded.predict(frames[1], random_state=0)
    again = bounded.predict(frames[1], random_state=1)
    return np.where(answers == 1, ">50K", "<=50K"), {"chance": float(np.mean(answers != again))}


Way = Callable[[Any, Answers, Any], tuple[Answers, dict[str, Any]]]


def learners() -> dict[tuple[str, str], Way]:
    """Return all ways to learn, by table."""
    learners: dict[tuple[str, str], Way] = {
        key: lambda X, y, held, policy=policy: learn_rules(policy, X, y, held)  # type: ignore[misc]
        for key, policy in POLICIES.items()
    }
    learners["adult", "LightGBM"] = lambda X, y, held: learn_boosted(False, False, X, y, held)
    learners["adult", "LightGBM, monotone"] = lambda X, y, held: learn_boosted(True, False, X, y, held)
    if find_spec("fairlearn"):
        learners["adult", "LightGBM, monotone, Fairlearn"] = lambda X, y, held: learn_boosted(True, True, X, y, held)
    return learners


def run(table: str, way: str, learn: Way, fold: int) -> dict[str, Any]:
    """Learn from the training rows of one fold, and test on the others."""
    data = datasets.load(table)
    train, test = list(paper_folds(len(data.y)))[fold]
    start = process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        answers, about = learn(data.X.take(train), data.y[train], data.X.take(test))
    record = {"table": table, "way": way, "fold": fold, "version": __version__, "seconds": process_time() - start}
    record["f1"] = macro_f1(data.y[test], answers)
    if table == "adult":
        sex = data.X.take(test)["sex"].to_numpy(zero_copy_only=False)
        rates = [float(np.mean(answers[sex == group] == ">50K")) for group in ("Female", "Male")]
        record["difference"] = rates[1] - rates[0]
    return record | about


def page(records: list[dict[str, Any]]) -> str:
    """Return the table of the page: means over the folds."""
    lines = ["| table | learned | macro-F1 | edges | difference by sex | CPU seconds |", "|---|---|---|---|---|---|"]
    for table, way in dict.fromkeys((record["table"], record["way"]) for record in records):
        folds = [record for record in records if (record["table"], record["way"]) == (table, way)]
        means = {
            name: mean(record[name] for record in folds) for name in folds[0] if isinstance(folds[0][name], int | float)
        }
        edges = f"{means['edges']:.0f}" if "edges" in means else ""
        difference = f"{means['difference']:.3f}" if "difference" in means else ""
        lines.append(f"| {table} | {way} | {means['f1']:.4f} | {edges} | {difference} | {means['seconds']:.1f} |")
    return "\n".join(lines)


def main() -> None:
    """Run what is missing, and print the table."""
    ways = learners()
    run(
        "tic-tac-toe", "free", ways["tic-tac-toe", "free"], 0
    )  # loads the compiled kernels, which nobody should pay for
    for table, fold in product(dict.fromkeys(table for table, _ in ways), range(5)):
        for way in [way for name, way in ways if name == table]:
            if jsonl.find(RECORD, {"table": table, "way": way, "fold": fold}) is None:
                jsonl.put(RECORD, [run(table, way, ways[table, way], fold)], KEY)
    print(page(jsonl.read(RECORD)))


if __name__ == "__main__":
    main()
