"""The estimator that the options of `fit` and `evaluate` describe, and the table that it learns from."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING, Any, TypeVar

from conceptrules.cli import columns
from conceptrules.cli.options import LearnerOptions, LearningOptions
from conceptrules.model.errors import InputError
from conceptrules.tables.files.formats import PARQUET, STREAM, table_suffix
from conceptrules.tables.files.table_reader import open_file, open_parquet

if TYPE_CHECKING:
    from conceptrules.classifier import ConceptRuleClassifier
    from conceptrules.cli.columns import KindOption
    from conceptrules.mllp import MLLPClassifier
    from conceptrules.regressor import ScorecardRegressor
    from conceptrules.scorecard import ScorecardClassifier

    Classifier = ConceptRuleClassifier | MLLPClassifier | ScorecardClassifier | ScorecardRegressor

T = TypeVar("T")

LARGE = 64 << 20
"""Text files of more bytes than this are read in batches."""
_PARAMETERS = {"rate": "binarization_rate", "seed": "random_state"}
"""Parameters of the estimators that are called otherwise than their options."""


@dataclass(frozen=True, slots=True)
class LearningTask:
    """An estimator, and what its `fit` is called with."""

    classifier: Classifier
    X: Any
    y: Any
    fit_parameters: dict[str, Any] = field(default_factory=dict)


def is_large(name: str) -> bool:
    """Return whether a file is read in batches."""
    if name == STREAM or not os.path.isfile(name):
        return False
    if table_suffix(name) == PARQUET:
        from conceptrules.learn.coding.table_coding import IN_MEMORY

        return bool(open_parquet(name).metadata.num_rows > IN_MEMORY)
    return os.path.getsize(name) > LARGE


def task_in_batches(files: Sequence[str], target: str, options: LearningOptions) -> LearningTask:
    """Return the task of learning from files that are read in batches."""
    from conceptrules.tables.sources import list_columns, resolve_source

    table = replace(resolve_source(list(files)), text=options.text.format)
    names, where = list_columns(table), files[0] if len(files) == 1 else f"{files[0]} and the other files"
    named = (("groups", options.groups), ("time", options.time), ("exposure", options.exposure))
    holdout = {name: column for name, column in named if column}
    for column in holdout.values():
        columns.require_column(column, names, where)
    # The columns that say which rows are held out together, or how long they count, are no features.
    chosen = replace(options.features, drop=[*options.features.drop, *holdout.values()])
    features = columns.select_features(names, target, chosen, where)
    kinds = columns.parse_kinds(options.features.kind, names, where)
    relations = columns.parse_relations(options.features.relation, features, where, options.features.relations)
    kept = columns.parse_names(options.features.keep, features, where)
    classifier = make_classifier(
        options.learner, {name: kinds[name] for name in features if name in kinds}, relations, kept
    )
    table = table.restrict_to([*features, *holdout.values(), target], {})
    return LearningTask(classifier, table, target, dict(holdout))


def task_in_memory(file: str, target: str, options: LearningOptions) -> LearningTask:
    """Return the task of learning from one file, or from standard input, that is read as a whole."""
    source = open_file(file, options.text.format)
    holdout = {name: column for name, column in (("groups", options.groups), ("time", options.time)) if column}
    parts = {name: columns.read_holdout_column(source, column, f"--{name}", target) for name, column in holdout.items()}
    if options.exposure:
        parts["exposure"] = columns.read_exposure(source, options.exposure, target)
    # The columns that say which rows are held out together, or how long they count, are no features.
    dropped = [*options.features.drop, *holdout.values(), *([options.exposure] if options.exposure else [])]
    features = replace(options.features, drop=dropped)
    kinds = columns.parse_kinds(features.kind, source.columns, source.name)
    regression = find_method(options.learner) == "regression"
    if regression and options.bins:
        raise InputError("--regression predicts the number and --bins ranges of it; give one of them")
    X, y = columns.read_examples(source, target, features, kinds, options.bins, regression)
    X = columns.replace_dates(X) if options.date_parts else X
    relations = columns.parse_relations(features.relation, X.column_names, source.name, features.relations)
    kept = columns.parse_names(features.keep, X.column_names, source.name)
    kinds = {name: kinds[name] for name in X.column_names if name in kinds}
    classifier = make_classifier(options.learner, kinds, relations, kept)
    return LearningTask(classifier, X, y, parts)


def find_method(options: LearnerOptions) -> str:
    """Return how to learn, from --method, --scorecard and --regression."""
    if options.regression:
        if options.scorecard or options.method not in (None, "regression"):
            raise InputError("--regression is a way to learn of its own; leave --method and --scorecard out")
        return "regression"
    if options.scorecard and options.method not in (None, "scorecard"):
        raise InputError(f"--scorecard and --method {options.method} are two ways to learn; give one of them")
    return "scorecard" if options.scorecard else options.method or "search"


def make_classifier(
    options: LearnerOptions,
    kinds: Mapping[str, KindOption],
    relations: Sequence[tuple[str, str, str]] | str = (),
    keep: Sequence[str] = (),
) -> Classifier:
    """Return the estimator that the options describe; its `fit` checks most of their ranges before it trains."""
    from conceptrules.classifier import ConceptRuleClassifier
    from conceptrules.mllp import MLLPClassifier
    from conceptrules.regressor import ScorecardRegressor
    from conceptrules.scorecard import ScorecardClassifier

    methods: dict[str, type[Classifier]] = {
        "search": ConceptRuleClassifier, "mllp": MLLPClassifier, "scorecard": ScorecardClassifier,
        "regression": ScorecardRegressor,
    }  # fmt: skip
    method = find_method(options)
    if method not in methods:
        raise InputError(f"--method {method!r} is unknown; use search, mllp, scorecard or regression")
    if not 0 <= options.seed < 2**32:
        raise InputError(f"--seed {options.seed} is out of range: from 0 to {2**32 - 1}")
    known = {name: estimator().get_params() for name, estimator in methods.items()}
    parameters: dict[str, Any] = {"kinds": dict(kinds) or None, "keep": tuple(keep)}
    for option, value in asdict(options).items():
        if option in ("method", "scorecard", "regression") or value is None:
            continue
        name = _PARAMETERS.get(option, option)
        if name not in known[method]:
            fitting = " or ".join(f"--method {other}" for other in methods if name in known[other])
            flag = f"--{option.replace('_', '-')}"
            raise InputError(f"{flag} is no option of --method {method}; add {fitting}, or leave {flag} out")
        parameters[name] = value
    if relations:
        if "relations" not in known[method]:
            raise InputError(f"--relation is no option of --method {method}; leave it out, or take another method")
        parameters["relations"] = relations
    if parameters.get("cutoff") is not None and float(parameters["cutoff"]).is_integer():  # a score
        parameters["cutoff"] = int(parameters["cutoff"])
    if parameters.get("immutable") is not None:
        parameters["immutable"] = tuple(name.strip() for name in parameters["immutable"].split(","))
    if parameters.get("policy") is not None:
        from conceptrules.model.policy import Policy

        parameters["policy"] = Policy.read(parameters["policy"])
    for name, number, option, example in (
        ("layers", int, "--layers", "64,64,64"),
        ("binarization_rate", float, "--rate", "0.8,0.9"),
    ):
        if parameters.get(name, "auto") != "auto":
            parameters[name] = tuple(_parse_numbers(parameters[name], number, option, example))
    return methods[method](**parameters)


def _parse_numbers(text: str, number: Callable[[str], T], option: str, example: str) -> list[T]:
    try:
        return [number(part) for part in text.split(",")]
    except ValueError:
        raise InputError(
            f"{option} {text!r} is neither auto nor numbers separated by commas, such as {example}"
        ) from None
