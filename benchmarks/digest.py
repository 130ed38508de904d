"""What the learners do, as a short text: `python -m benchmarks.digest`.

Each learner is fitted to a few small tables with fixed seeds, and the content hashes of its networks are hashed. A
change of the code that changes no network leaves the digest as it is; one that changes what is learned changes it.
Every record of a benchmark carries the digest of the learner that it is about, so that a page can say which of its
figures come from an earlier version. Each learner has a digest: a change of one leaves the records of the others
valid.

The digests of the present code are kept in benchmarks/records/learners.json, which this command writes. Pages are
made from that file, so that they come out the same on every machine; a test compares it with the code.
"""

from __future__ import annotations

import hashlib
import json
import platform
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from typing import Any

import numpy as np
import pyarrow as pa

from benchmarks import jsonl

SEARCH, MLLP, POINTS, NUMBERS = "search", "mllp", "points", "numbers"
FILE = jsonl.RECORDS / "learners.json"
FIELD = "learner"
"""The field of a record that holds the digest."""
PACKAGES = ("numpy", "scikit-learn", "numba")
"""Other versions of these may round differently, and then learn another network."""
EARLIER = "{what} were measured with an earlier version of the learner; the present one may give others."
PARTLY_EARLIER = "Some of {what} were measured with an earlier version of the learner; the present one may give others."
FIGURES = "these figures"


@cache
def learner(name: str) -> str:
    """Return the name of a learner and its digest, as records carry it.

    A machine without Numba, which may have little more than a GPU, takes the digest that is on record.
    """
    if find_spec("numba") is None:
        return current()[name]
    hashes = list(_FITS[name]())
    return f"{name} {hashlib.sha256(' '.join(hashes).encode('ascii')).hexdigest()[:10]}"


def current() -> Mapping[str, str]:
    """Return the digests of the present code, as they are on record."""
    return dict(json.loads(FILE.read_text(encoding="utf-8"))["learners"])


def environment() -> dict[str, str]:
    """Return what the digests depend on besides the code."""
    return {"architecture": platform.machine(), **{package: _version(package) for package in PACKAGES}}


def notice(records: Iterable[Mapping[str, Any]], what: str = FIGURES) -> str:
    """Return a sentence for the reader of a page if some of its records are of an earlier learner, and "" if not.

    >>> notice([{"f1": 0.5}], "our figures")
    'Our figures were measured with an earlier version of the learner; the present one may give others.'
    """
    known = set(current().values())
    states = {record.get(FIELD) in known for record in records}
    if states <= {True}:
        return ""
    text = (PARTLY_EARLIER if True in states else EARLIER).format(what=what)
    return text[0].upper() + text[1:]


def _search_hashes() -> Iterator[str]:
    from conceptrules import ConceptRuleClassifier, Policy, datasets

    X, y, weights = _table(240)
    order = ["no", "yes"]
    policy = Policy.of(order=order, monotone={"income": "up"}, forbidden=["color"])
    game = datasets.load("tic-tac-toe")
    flowers = datasets.load("wine")
    many, many_y, _ = _table(101_000)
    fits: list[tuple[dict[str, Any], tuple[Any, ...]]] = [
        ({"effort": "default"}, (X, y == "high")),
        ({"effort": "fast"}, (X, y)),
        ({"effort": "fast"}, (X, y, weights)),
        ({"effort": "fast", "policy": policy}, (X, np.where(y == "low", *order))),
        ({"effort": "fast", "max_edges": 12, "class_weight": "balanced"}, (game.X, game.y)),
        ({"effort": "default", "negation": False}, (flowers.X, flowers.y)),
        ({"effort": "fast", "max_rules": 4}, (many, many_y)),
    ]
    for settings, rows in fits:
        clf = _fitted(ConceptRuleClassifier(random_state=0, **settings), *rows)
        yield _hash(clf.network_)
        yield from (_hash(point.network) for point in clf.frontier_)


def _mllp_hashes() -> Iterator[str]:
    from conceptrules import MLLPClassifier

    X, y, weights = _table(240)
    short: dict[str, Any] = {"layers": (16,), "binarization_rate": 0.5, "max_epochs": 8, "device": "cpu"}
    yield _hash(_fitted(MLLPClassifier(random_state=0, **short), X, y).network_)
    yield _hash(_fitted(MLLPClassifier(random_state=0, negation=True, refit=True, **short), X, y, weights).network_)


def _points_hashes() -> Iterator[str]:
    from conceptrules import ScorecardClassifier, datasets

    X, y, weights = _table(240)
    flowers = datasets.load("wine")
    many, many_y, _ = _table(6_000)
    fits: list[tuple[dict[str, Any], tuple[Any, ...]]] = [
        ({}, (X, y == "high", weights)),
        ({}, (X, y)),
        ({"effort": "fast"}, (flowers.X, flowers.y)),
        ({"effort": "fast", "class_weight": "balanced", "max_rule_length": 1}, (many, many_y)),
    ]
    for settings, rows in fits:
        clf = _fitted(ScorecardClassifier(random_state=0, **settings), *rows)
        yield _hash(clf.network_)  # a change may be of the choice alone
        yield from (_hash(point.network) for point in clf.frontier_)


def _numbers_hashes() -> Iterator[str]:
    from conceptrules import ScorecardRegressor

    X, y, weights = _table(240)
    many, many_y, _ = _table(6_000)
    fits: list[tuple[dict[str, Any], tuple[Any, ...]]] = [
        ({}, (X, np.unique(y, return_inverse=True)[1] * 10.0, weights)),
        ({"loss": "poisson", "effort": "fast"}, (X, np.unique(y, return_inverse=True)[1])),
        ({"loss": "absolute_error", "effort": "fast"}, (X, X["age"].to_numpy())),
        ({"max_rule_length": 2}, (many.drop_columns(["age"]), many["age"].to_numpy() + 30.0 * (many_y == "low"))),
    ]
    for settings, rows in fits:
        reg = _fitted(ScorecardRegressor(random_state=0, **settings), *rows)
        yield _hash(reg.network_)
        yield from (_hash(point.network) for point in reg.frontier_)


_FITS: Mapping[str, Callable[[], Iterator[str]]] = {
    SEARCH: _search_hashes,
    MLLP: _mllp_hashes,
    POINTS: _points_hashes,
    NUMBERS: _numbers_hashes,
}


def _table(rows: int) -> tuple[pa.Table, np.ndarray, np.ndarray]:
    """Return a table of numbers, categories and gaps, its three classes, a tenth of them noise, and weights."""
    rng = np.random.default_rng(0)
    age, income = rng.integers(18, 90, rows), rng.gamma(2.0, 20.0, rows).round(1)
    job, color = rng.integers(0, 6, rows), rng.integers(0, 4, rows)
    level = np.where(income > 50, 2, np.where((age > 60) | (job < 2), 1, 0))
    level = np.where(rng.random(rows) < 0.1, rng.integers(0, 3, rows), level)
    columns = {
        "age": age,
        "income": pa.array(income, mask=rng.random(rows) < 0.05),
        "job": pa.array(np.array(list("abcdef"))[job], mask=rng.random(rows) < 0.05),
        "color": np.array(["red", "blue", "green", "grey"])[color],
    }
    return pa.table(columns), np.array(["low", "middle", "high"])[level], rng.integers(1, 4, rows)


def _fitted(learner: Any, X: Any, y: Any, weights: Any = None) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return learner.set_params(n_jobs=1).fit(X, y, sample_weight=weights)


def _hash(network: Any) -> str:
    from conceptrules.model.content_hash import content_hash

    return content_hash(network)


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "not installed"


def write() -> None:
    """Compute the digests of the present code, and keep them."""
    found = {"learners": {name: learner(name) for name in _FITS}, "environment": environment()}
    jsonl.replace_text(FILE, json.dumps(found, indent=2) + "\n")


if __name__ == "__main__":
    write()
    print("\n".join(current().values()))
