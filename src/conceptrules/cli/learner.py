"""The estimator that the options of `fit` and `evaluate` describe, and the table that it learns from."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from conceptrules.cli import columns
from conceptrules.cli.date_columns import with_parts_that_differ
from conceptrules.model.errors import InputError
from conceptrules.tables.files.table_reader import open_table
from conceptrules.tables.files.text_format import USUAL, TextFormat

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa

    from conceptrules.classifier import ConceptRuleClassifier
    from conceptrules.cli.columns import Told
    from conceptrules.mllp import MLLPClassifier

    Classifier = ConceptRuleClassifier | MLLPClassifier

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Learner:
    """The options of the learner, as they were written; None: not given."""

    method: str
    effort: str | None
    scoring: str | None
    max_edges: int | None
    max_rules: int | None
    max_rule_length: int | None
    min_rows: int | None
    policy: str | None
    layers: str | None
    rate: str | None
    negation: bool | None
    max_epochs: int | None
    max_categories: int
    seed: int
    n_jobs: int
    device: str | None


_OPTIONS = {"rate": "binarization_rate", "seed": "random_state"}
"""Options that are called otherwise than the parameters of the estimators."""


def learning_task(
    data: str,
    target: str,
    drop: Sequence[str],
    only: Sequence[str],
    kind: Sequence[str],
    learner: Learner,
    text: TextFormat = USUAL,
    bins: int = 0,
    date_parts: bool = False,
    together: Mapping[str, str] = {},
) -> tuple[Classifier, pa.Table, np.ndarray, dict[str, np.ndarray]]:
    """Return the estimator, the table to learn from, the class of each row, and which rows are held out together.

    `together` has the columns that say so by the parameter of `fit`: groups or time. They are no features.
    """
    source = open_table(data, text)
    held = {name: columns.in_one_part(source, column, f"--{name}", target) for name, column in together.items()}
    drop = [*drop, *together.values()]
    kinds = columns.kinds(kind, source.columns, source.name)
    X, y = columns.examples(source, target, drop, only, kinds, bins)
    X = with_parts_that_differ(X) if date_parts else X
    return classifier(learner, {name: kinds[name] for name in X.column_names if name in kinds}), X, y, held


def classifier(learner: Learner, kinds: Mapping[str, Told]) -> Classifier:
    """Return the estimator that the options describe; its `fit` checks most of their ranges before it trains."""
    from conceptrules.classifier import ConceptRuleClassifier
    from conceptrules.mllp import MLLPClassifier

    methods: dict[str, type[Classifier]] = {"search": ConceptRuleClassifier, "mllp": MLLPClassifier}
    if learner.method not in methods:
        raise InputError(f"--method {learner.method!r} is unknown; use search or mllp")
    if not 0 <= learner.seed < 2**32:
        raise InputError(f"--seed {learner.seed} is out of range: from 0 to {2**32 - 1}")
    made = methods[learner.method]
    parameters: dict[str, Any] = {"kinds": dict(kinds) or None}
    for option, value in asdict(learner).items():
        if option == "method" or value is None:
            continue
        name = _OPTIONS.get(option, option)
        if name not in made().get_params():
            (other,) = methods.keys() - {learner.method}
            flag = f"--{option.replace('_', '-')}"
            raise InputError(
                f"{flag} is no option of --method {learner.method}; add --method {other}, or leave {flag} out"
            )
        parameters[name] = value
    if parameters.get("policy") is not None:
        from conceptrules.model.policy import Policy

        parameters["policy"] = Policy.read(parameters["policy"])
    for name, number, option, example in (
        ("layers", int, "--layers", "64,64,64"),
        ("binarization_rate", float, "--rate", "0.8,0.9"),
    ):
        if parameters.get(name, "auto") != "auto":
            parameters[name] = tuple(_numbers(parameters[name], number, option, example))
    return made(**parameters)


def _numbers(text: str, number: Callable[[str], T], option: str, example: str) -> list[T]:
    try:
        return [number(part) for part in text.split(",")]
    except ValueError:
        raise InputError(
            f"{option} {text!r} is neither auto nor numbers separated by commas, such as {example}"
        ) from None
