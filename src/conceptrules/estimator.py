"""ConceptRuleClassifier: a thin scikit-learn shell around the stages."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from copy import copy
from dataclasses import asdict, dataclass, replace
from functools import partial
from numbers import Integral, Real
from os import PathLike
from typing import Any, Self

import numpy as np
from joblib import effective_n_jobs
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, TransformerMixin
from sklearn.utils import check_random_state
from sklearn.utils._set_output import _wrap_data_with_container
from sklearn.utils.validation import check_is_fitted

from conceptrules.binarize import Binarizer
from conceptrules.binarize.targets import (
    check_class_weight,
    check_classes,
    check_labels,
    codes_of_labels,
)
from conceptrules.learn.device import check_device, engine
from conceptrules.learn.evidence import GIVEN, HELD_BACK, TRAINING, validation_of, with_evidence
from conceptrules.learn.examples import Examples, canonical, joined, split
from conceptrules.learn.extract import extract
from conceptrules.learn.fit import Score, Snapshot, Task, fit
from conceptrules.learn.recipe import Recipe, auto_layers
from conceptrules.learn.summary import training_of
from conceptrules.rules.errors import InputError
from conceptrules.rules.evaluate import Bits, layers, unpack
from conceptrules.rules.explain import Explanation
from conceptrules.rules.fingerprint import row_hashes
from conceptrules.rules.measure import pattern_frequencies, probabilities, with_statistics
from conceptrules.rules.network import RuleNetwork
from conceptrules.rules.order import in_order
from conceptrules.rules.plan import decide, fired
from conceptrules.rules.simplify import simplify
from conceptrules.rules.table import open_table
from conceptrules.rules.text import node_names
from conceptrules.rules.training import Validation
from conceptrules.views.progress import progress


class _Layers:
    """The learned representation of each layer.

    In a class of its own, which scikit-learn does not wrap: its `set_output` knows the names of one layer only.
    """

    network_: RuleNetwork
    binarizer_: Binarizer

    def transform(self, X: Any, layer: int = -2) -> Any:
        """The learned representation h(layer): 0 the predicates, 1 the first rules, 2 their concepts, ..., the classes.

        Negative layers count from the top; the rules just below the classes are the default.
        """
        check_is_fitted(self, "network_")
        bits = unpack(layers(self.network_, self.binarizer_.words(X))[self._layer(layer)])
        named: Any = copy(self)
        named.get_feature_names_out = partial(self.get_feature_names_out, layer=layer)
        return _wrap_data_with_container("transform", bits, X, named)

    def get_feature_names_out(self, input_features: Any = None, layer: int = -2) -> NDArray[np.object_]:
        """What each column of `transform` says, in words."""
        check_is_fitted(self, "network_")
        self.binarizer_.get_feature_names_out(input_features)  # objects to names that are not those of the fit
        return np.array(node_names(self.network_, self._layer(layer)), dtype=object)

    def _layer(self, layer: int) -> int:
        """A layer's number from the bottom."""
        count = 2 * len(self.network_.levels) + 1
        if not isinstance(layer, Integral) or not -count <= layer < count:
            raise InputError(f"layer is {layer!r}; this network has the layers 0 (predicates) to {count - 1} (classes)")
        return int(layer) % count


class ConceptRuleClassifier(_Layers, ClassifierMixin, TransformerMixin, BaseEstimator):
    """Learns a Concept Rule Set: a small network of AND/OR rules that a person can read.

    Parameters
    ----------
    layers : sizes of the middle layers, an odd number of them (rules, concepts, ..., rules); (64,) gives one level of
        rules. "auto": three layers of 32 to 256 nodes, by the number of predicates.
    binarization_rate : the share of weights that is rounded during training, or several to choose from on the
        validation rows; "auto": 0.5 to 0.9.
    negation : whether rules may say `not`.
    max_epochs, patience : when training ends: after so many epochs, or so many without a better network on the
        validation rows (None: never).
    batch_size, learning_rate, l2 : of the gradient descent; the values are the paper's.
    validation_fraction : the share of rows held back to choose the rate and the epoch.
    priority : who wins when several classes fire and who when none does: "learned" from the training rows, or "first",
        the paper's: the first class that fires, or the first class.
    class_weight : None, "balanced" or {class: weight}; enters the loss, the priority and the default class.
    kinds : {column: kind} where a column is not what it seems: "number", "category", "boolean", ...; or the list of
        its categories in their order.
    max_categories : how many categories of a column are kept, the most frequent ones; the others read as unseen.
    refit : whether to train once more on all rows, with the rate that was chosen.
    random_state, n_jobs, verbose : as everywhere in scikit-learn, but n_jobs=None takes all cores. The network does
        not depend on n_jobs, nor on the order of the rows.
    device : "cpu", "cuda" (all GPUs there are), "cuda:1" (one of them), or "auto": a GPU where there is one and the
        work is large enough for it to win. A GPU needs `pip install 'conceptrules[gpu]'`.

    Attributes
    ----------
    network_ : the rules, a `RuleNetwork`; print it.
    extracted_ : the same before simplification, as it was read off the weights.
    binarizer_ : the fitted `Binarizer`.
    history_ : a list of dictionaries, one for each rate and snapshot.
    classes_, n_features_in_, feature_names_in_ : as everywhere in scikit-learn.

    Examples
    --------
    >>> from conceptrules import ConceptRuleClassifier
    >>> rows, answers = [["yes", 1], ["yes", 2], ["no", 1], ["no", 2]] * 5, ["a", "a", "b", "b"] * 5
    >>> ConceptRuleClassifier(layers=(4,), random_state=0).fit(rows, answers).predict([["yes", 2]])
    array(['a'], dtype='<U1')
    """

    def __init__(
        self,
        layers: Any = "auto",
        *,
        binarization_rate: Any = "auto",
        negation: bool = False,
        max_epochs: int = 400,
        patience: int | None = 100,
        batch_size: int = 128,
        learning_rate: float = 5e-3,
        l2: float = 1e-8,
        validation_fraction: float = 0.2,
        priority: str = "learned",
        class_weight: Any = None,
        kinds: Any = None,
        max_categories: int = 256,
        refit: bool = False,
        random_state: Any = None,
        n_jobs: int | None = None,
        device: str = "auto",
        verbose: bool = False,
    ) -> None:
        self.layers = layers
        self.binarization_rate = binarization_rate
        self.negation = negation
        self.max_epochs = max_epochs
        self.patience = patience
        self.batch_size = batch_size
        self.learning_rate = learning_rate
        self.l2 = l2
        self.validation_fraction = validation_fraction
        self.priority = priority
        self.class_weight = class_weight
        self.kinds = kinds
        self.max_categories = max_categories
        self.refit = refit
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.device = device
        self.verbose = verbose

    def fit(self, X: Any, y: Any, sample_weight: Any = None, X_val: Any = None, y_val: Any = None) -> Self:
        """Learns the rules. Rows of your own for validation (X_val, y_val) take the place of the split."""
        self._check()
        lesson = self._lesson(self._read(X, y, sample_weight), X_val, y_val)
        learn([lesson], self.device, self.n_jobs, self.verbose)
        return self

    def _read(self, X: Any, y: Any, sample_weight: Any = None) -> _Read:
        labels, weight = check_labels(y, sample_weight=sample_weight)
        binarizer = Binarizer(kinds=self.kinds, max_categories=self.max_categories)
        binarizer.fit(X, labels, sample_weight=weight)
        classes = check_classes(labels)
        check_class_weight(self.class_weight, classes, np.ones(len(classes)))
        kept = np.flatnonzero(weight)
        table = open_table(X) if len(kept) == len(weight) else open_table(X).take(kept)
        rows = canonical(Examples.read(binarizer.words(table), codes_of_labels(labels)[1][kept], weight[kept]))
        return _Read(binarizer, classes, rows, row_hashes(binarizer.columns_, table, labels[kept]))

    def _lesson(self, read: _Read, X_val: Any = None, y_val: Any = None) -> Lesson:
        """What there is to learn, and from which rows."""
        rng = np.random.default_rng(check_random_state(self.random_state).randint(2**31))
        if X_val is None and y_val is None:
            training, validation = self._split(read.rows, read.classes, rng)
            seen = read.rows
        else:
            training, validation = read.rows, _given(read.binarizer, read.classes, X_val, y_val)
            seen = joined(training, validation)
        share = np.bincount(training.target, training.weight, len(read.classes)).astype(np.float64)
        class_weight = check_class_weight(self.class_weight, read.classes, share)
        recipe = self._recipe(training.inputs * (2 if self.negation else 1))
        task = Task(recipe, training, validation, class_weight, rng)
        return Lesson(self, read, seen, task, given=X_val is not None)

    def _learned(self, lesson: Lesson, best: Snapshot, history: list[dict[str, Any]]) -> None:
        """Takes over what was learned."""
        binarizer, classes, rows = lesson.read.binarizer, lesson.read.classes, lesson.read.rows
        extracted = _network(binarizer, classes, best)
        simple = in_order(simplify(extracted, lesson.seen.words))
        network = with_statistics(simple, rows.words, rows.target, rows.weight)
        trained = training_of(self.get_params(), best.score, len(lesson.read.hashes), binarizer.categories_dropped_)
        judged = self._validation(network, best.score, lesson)
        trained = with_evidence(trained, network, judged, rows, lesson.read.hashes)
        self.binarizer_, self.classes_, self.history_ = binarizer, classes, history
        self.extracted_, self.network_ = extracted, replace(network, training=trained)

    @property
    def n_features_in_(self) -> int:
        return self.binarizer_.n_features_in_

    @property
    def feature_names_in_(self) -> NDArray[np.object_]:
        return self.binarizer_.feature_names_in_

    def predict(self, X: Any) -> NDArray[Any]:
        """The class of each row."""
        check_is_fitted(self, "network_")
        labels: NDArray[Any] = self.classes_.take(decide(self.network_, X))
        return labels

    def predict_frequencies(self, X: Any) -> NDArray[np.float64]:
        """How often each class was right on the training rows on which the same classes fire, smoothed."""
        fired = self._fired(X)
        return pattern_frequencies(self.network_, fired)

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """`predict_frequencies`, with the decided class lifted just above the others where it is not the largest."""
        fired = self._fired(X)
        return probabilities(self.network_, fired)

    def explain(self, row: Any, fixed: Iterable[str] = (), to: Any = None, **limits: Any) -> Explanation:
        """Why a row gets its class: a value that prints as text and shows as HTML in a notebook.

        The row is a dictionary, a list of values or a table of one row. With it comes the smallest change of the row
        that would give it another class (the class `to`, if named), while the columns in `fixed` stay as they are.
        """
        check_is_fitted(self, "network_")
        return self.network_.explain(row, fixed, to, **limits)

    def export(self, to: str, *, verify: bool = False, data: Any = None, **options: Any) -> Any:
        """The rules in another language ("sql", "python", "javascript", "c", ...): see `RuleNetwork.export`."""
        check_is_fitted(self, "network_")
        return self.network_.export(to, verify=verify, data=data, **options)

    def report(
        self,
        X: Any,
        y: Any,
        path: str | PathLike[str],
        *,
        title: str | None = None,
        include_rows: bool = False,
    ) -> None:
        """Writes one HTML file that says what the model does, how well on these rows, and how far to trust it.

        Rows of X are in the file only with `include_rows`.
        """
        from conceptrules.views.report import TITLE, write_report

        check_is_fitted(self, "network_")
        name = getattr(y, "name", None)
        chosen = title or (f"Predicting {name}" if isinstance(name, str) and name else TITLE)
        write_report(self.network_, X, y, path, title=chosen, include_rows=include_rows)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags = Binarizer().__sklearn_tags__().input_tags
        tags.transformer_tags.preserves_dtype = []
        return tags

    def _check(self) -> None:
        """Objects to settings that are out of range, before the table is read."""
        check_device(self.device)
        if self.n_jobs is not None and (not isinstance(self.n_jobs, Integral) or self.n_jobs == 0):
            raise InputError(f"n_jobs is {self.n_jobs!r}; give a number of cores, -1 for all, or None")
        fraction = self.validation_fraction
        if not isinstance(fraction, Real) or not 0 < float(fraction) < 1:
            raise InputError(f"validation_fraction is {fraction!r}; it needs a number between 0 and 1, such as 0.2")
        self._recipe(inputs=1)

    def _recipe(self, inputs: int) -> Recipe:
        """The settings of a training run; objects to what is out of range."""
        given = {} if _is_auto(self.binarization_rate) else {"binarization_rate": self.binarization_rate}
        names = ("negation", "max_epochs", "patience", "batch_size", "learning_rate", "l2", "priority", "refit")
        layers = auto_layers(inputs) if _is_auto(self.layers) else self.layers
        return Recipe(layers, **given, **{name: getattr(self, name) for name in names})

    def _split(self, rows: Examples, classes: NDArray[Any], rng: np.random.Generator) -> tuple[Examples, Examples]:
        """Training and validation rows."""
        training, validation = split(rows, self.validation_fraction, rng)
        small = classes[np.setdiff1d(training.target, validation.target)]
        if len(small):
            warnings.warn(
                f"class {', '.join(map(repr, small.tolist()))} has too few rows for a validation split of "
                f"{self.validation_fraction}; its rows stay in training",
                stacklevel=3,
            )
        return training, validation if len(validation) else training

    def _validation(self, network: RuleNetwork, best: Score, lesson: Lesson) -> Validation:
        """What the rows that chose the network say of it; with `refit`, or where none were held back: all of them."""
        training, validation = lesson.task.training, lesson.task.validation
        if self.refit:
            training = validation = joined(training, validation)
        source = TRAINING if validation is training else GIVEN if lesson.given else HELD_BACK
        return validation_of(network, best, source, training, validation)

    def _fired(self, X: Any) -> Bits:
        check_is_fitted(self, "network_")
        return unpack(fired(self.network_, X))


@dataclass(frozen=True, slots=True, eq=False)
class _Read:
    """A table as bits."""

    binarizer: Binarizer
    classes: NDArray[Any]
    rows: Examples
    hashes: NDArray[np.uint64]
    """Of the rows as they were in the table."""


@dataclass(frozen=True, slots=True, eq=False)
class Lesson:
    """What a classifier is about to learn."""

    classifier: ConceptRuleClassifier
    read: _Read
    seen: Examples
    """All rows that may decide what is left out of the rules."""
    task: Task
    given: bool
    """Whether the validation rows were."""


def learn(lessons: Sequence[Lesson], device: str, n_jobs: int | None, verbose: bool) -> None:
    """Fits the classifiers of all lessons, side by side."""
    tasks = [lesson.task for lesson in lessons]
    histories: list[list[dict[str, Any]]] = [[] for _ in lessons]
    threads = effective_n_jobs(-1 if n_jobs is None else n_jobs)
    with progress([task.recipe.max_epochs for task in tasks], verbose) as show:

        def watch(number: int, scores: list[Score]) -> None:
            histories[number].extend(asdict(score) for score in scores)
            show(number, scores)

        best = fit(tasks, engine(device, tasks, threads), watch)
    for lesson, snapshot, history in zip(lessons, best, histories, strict=True):
        lesson.classifier._learned(lesson, snapshot, history)


def _given(binarizer: Binarizer, classes: NDArray[Any], X_val: Any, y_val: Any) -> Examples:
    """The validation rows that the user gave."""
    if X_val is None or y_val is None:
        raise InputError("X_val and y_val go together: give both or none")
    labels, weight = check_labels(y_val, "y_val")
    unknown = np.setdiff1d(labels, classes)
    if len(unknown):
        raise InputError(f"y_val has the class {unknown.tolist()[0]!r}, which y has not")
    words = binarizer.words(X_val)
    if words.rows != len(labels):
        raise InputError(f"y_val has {len(labels)} labels for the {words.rows} rows of X_val")
    if not words.rows:
        raise InputError("X_val has no rows; leave X_val and y_val out to have rows of X held back instead")
    return canonical(Examples.read(words, np.searchsorted(classes, labels), weight))


def _network(binarizer: Binarizer, classes: NDArray[Any], best: Snapshot) -> RuleNetwork:
    names = tuple(classes.tolist())
    return RuleNetwork(
        columns=binarizer.columns_,
        predicates=binarizer.predicates_,
        levels=extract(best.sizes, best.weights, len(binarizer.predicates_)),
        classes=names,
        priority=tuple(names[c] for c in best.priority),
        default=names[best.default],
    )


def _is_auto(value: Any) -> bool:
    return isinstance(value, str) and value == "auto"
