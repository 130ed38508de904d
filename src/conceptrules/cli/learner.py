"""The estimator that the options of `fit` and `evaluate` describe, and the table that it learns from."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, TypeVar

from conceptrules.cli import columns
from conceptrules.cli.files.table_reader import open_table
from conceptrules.model.errors import InputError

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa

    from conceptrules.cli.columns import Told
    from conceptrules.estimator import ConceptRuleClassifier

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Polish:
    """The options that say how to learn, and what the network may be like."""

    recipe: str
    effort: str
    scoring: str
    max_edges: int | None
    max_rules: int | None
    max_rule_length: int | None


@dataclass(frozen=True, slots=True)
class Settings:
    """The options of the learner, as they were written."""

    polish: Polish
    layers: str
    rate: str
    negation: bool | None
    max_epochs: int
    max_categories: int
    seed: int
    n_jobs: int
    device: str


def learning_task(
    data: str, target: str, drop: Sequence[str], only: Sequence[str], kind: Sequence[str], settings: Settings
) -> tuple[ConceptRuleClassifier, pa.Table, np.ndarray]:
    """Return the estimator, the table to learn from and the class of each row."""
    source = open_table(data)
    kinds = columns.kinds(kind, source.columns, source.name)
    X, y = columns.examples(source, target, drop, only, kinds)
    return classifier(settings, {name: kinds[name] for name in X.column_names if name in kinds}), X, y


def classifier(settings: Settings, kinds: Mapping[str, Told]) -> ConceptRuleClassifier:
    """Return the estimator that the options describe; its `fit` checks most of their ranges before it trains."""
    from conceptrules.estimator import ConceptRuleClassifier

    layers, rate, seed = settings.layers, settings.rate, settings.seed
    if not 0 <= seed < 2**32:
        raise InputError(f"--seed {seed} is out of range: from 0 to {2**32 - 1}")
    return ConceptRuleClassifier(
        **asdict(settings.polish),
        layers=layers if layers == "auto" else tuple(_numbers(layers, int, "--layers", "64,64,64")),
        binarization_rate=rate if rate == "auto" else _numbers(rate, float, "--rate", "0.8,0.9"),
        negation="auto" if settings.negation is None else settings.negation,
        max_epochs=settings.max_epochs,
        max_categories=settings.max_categories,
        kinds=dict(kinds) or None,
        random_state=seed,
        n_jobs=settings.n_jobs,
        device=settings.device,
    )


def _numbers(text: str, number: Callable[[str], T], option: str, example: str) -> list[T]:
    try:
        return [number(part) for part in text.split(",")]
    except ValueError:
        raise InputError(
            f"{option} {text!r} is neither auto nor numbers separated by commas, such as {example}"
        ) from None
