"""ConceptRuleClassifier: a thin scikit-learn shell around the stages."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, replace
from inspect import signature
from os import PathLike
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, TransformerMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from conceptrules.binarize import Binarizer
from conceptrules.explain.explanation import Explanation
from conceptrules.learn.evidence import GIVEN, HELD_BACK, TRAINING, validation_of, with_evidence
from conceptrules.learn.examples import Examples, canonical, joined
from conceptrules.learn.mllp.fit import Snapshot, Task
from conceptrules.learn.provenance import training_of
from conceptrules.learn.search.ablation import ALL, Ideas
from conceptrules.learn.search.fit import Finished, Polish, Polished, held_out, settings_of
from conceptrules.learn.search.regularization_path import splits
from conceptrules.lessons import Lesson, Read, extracted, given, held_back, learn, warn_of_light, warn_of_small
from conceptrules.logic.simplification import simplify
from conceptrules.model.canonical import in_order
from conceptrules.model.errors import InputError
from conceptrules.model.evaluation import Bits, unpack
from conceptrules.model.pareto import Choice, smallest_within, with_at_most
from conceptrules.model.provenance import Training
from conceptrules.model.statistics import pattern_frequencies, probabilities, with_statistics
from conceptrules.parameters import binarizer_of, check, recipe_of, used
from conceptrules.tables.fingerprint import row_hashes
from conceptrules.tables.labels import check_class_weight, check_classes, check_labels, codes_of_labels
from conceptrules.tables.prediction import decide, fired
from conceptrules.tables.table import open_table
from conceptrules.transformer import Layers


class ConceptRuleClassifier(Layers, ClassifierMixin, TransformerMixin, BaseEstimator):
    """Learns a Concept Rule Set: a small network of AND/OR rules that a person can read.

    By default networks are grown and polished at several prices of an edge, and held-out rows choose the price. The
    paper's gradient descent is `recipe="paper"`.

    Parameters
    ----------
    recipe : "polished", or "paper": the published method.
    effort : "fast", "default" or "best", which takes many times as long.
    scoring : what is optimised: "macro-F1", "accuracy", "balanced accuracy" or "log loss".
    max_edges, max_rules, max_rule_length : limits that are kept exactly: of all edges, of all rules, and of the
        literals of a rule. None: no limit of yours; a rule has at most 12 literals then.
    literals, quantiles : which tests of numbers there are, as of `Binarizer`. "auto": "thresholds", or "intervals" with
        the paper's recipe.
    negation : whether rules may say `not`. "auto": of categories (`not job = nurse`), or never with the paper's recipe.
    validation_fraction : the share of rows held back to choose the network. The default recipe splits small tables
        several times, and learns from these rows, too, in the end.
    class_weight : None, "balanced" or {class: weight}; what a row of each class counts.
    kinds : {column: kind} where a column is not what it seems: "number", "category", "boolean", ...; or the list of
        its categories in their order.
    max_categories : how many categories of a column are kept, the most frequent ones; the others read as unseen.
    random_state, n_jobs, verbose : as everywhere in scikit-learn, but n_jobs=None takes all cores. The network does
        not depend on n_jobs, nor on the order of the rows.

    Only with recipe="paper":

    layers : sizes of the middle layers, an odd number of them (rules, concepts, ..., rules); (64,) gives one level of
        rules. "auto": three layers of 32 to 256 nodes, by the number of predicates.
    binarization_rate : the share of weights that is rounded during training, or several to choose from on the
        validation rows; "auto": 0.5 to 0.9.
    max_epochs, patience : when training ends: after so many epochs, or so many without a better network on the
        validation rows (None: never).
    batch_size, learning_rate, l2 : of the gradient descent; the values are the paper's.
    priority : who wins when several classes fire and who when none does: "learned" from the training rows, or "first",
        the paper's: the first class that fires, or the first class.
    refit : whether to train once more on all rows, with the rate that was chosen.
    device : "cpu", "cuda" (all GPUs there are), "cuda:1" (one of them), or "auto": a GPU where there is one and the
        work is large enough for it to win. A GPU needs `pip install 'conceptrules[gpu]'`.

    Attributes
    ----------
    network_ : the rules, a `RuleNetwork`; print it.
    extracted_ : the same before simplification, as the search found it, or as it was read off the weights.
    frontier_ : networks from the smallest on, each better than all smaller ones: `edges`, `score` (on held-out rows),
        `network`. `select` switches to another.
    binarizer_ : the fitted `Binarizer`.
    history_ : a list of dictionaries, one for each price that was tried; with the paper's recipe, for each rate and
        snapshot.
    classes_, n_features_in_, feature_names_in_ : as everywhere in scikit-learn.

    Examples
    --------
    >>> from conceptrules import ConceptRuleClassifier
    >>> rows, answers = [["yes", 1], ["yes", 2], ["no", 1], ["no", 2]] * 5, ["a", "a", "b", "b"] * 5
    >>> ConceptRuleClassifier(random_state=0).fit(rows, answers).predict([["yes", 2]])
    array(['a'], dtype='<U1')
    """

    # What an idea is worth is measured by leaving it out (benchmarks/paper). That is no setting for anybody else.
    _ideas: Ideas = ALL

    def __init__(
        self,
        layers: Any = "auto",
        *,
        recipe: str = "polished",
        effort: str = "default",
        scoring: str = "macro-F1",
        max_edges: int | None = None,
        max_rules: int | None = None,
        max_rule_length: int | None = None,
        literals: str = "auto",
        quantiles: int = 32,
        binarization_rate: Any = "auto",
        negation: bool | str = "auto",
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
        self.recipe = recipe
        self.effort = effort
        self.scoring = scoring
        self.max_edges = max_edges
        self.max_rules = max_rules
        self.max_rule_length = max_rule_length
        self.literals = literals
        self.quantiles = quantiles
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

    def select(self, *, edges: int | None = None, within: float | None = None) -> Self:
        """Switches to another network of the frontier, without fitting again.

        With `edges`: the best with at most so many. With `within`: the smallest whose score on the held-out rows is at
        most so much below the best.
        """
        check_is_fitted(self, "network_")
        if (edges is None) == (within is None):
            raise InputError("give select either edges=40 (the best of at most so many edges) or within=0.01")
        every = self.frontier_
        chosen = smallest_within(every, within) if edges is None else with_at_most(every, edges)
        self.network_, self.extracted_ = chosen.network, chosen.extracted
        return self

    def _read(self, X: Any, y: Any, sample_weight: Any = None) -> Read:
        labels, weight = check_labels(y, sample_weight=sample_weight)
        warn_of_light(weight)
        classes = check_classes(labels)
        check_class_weight(self.class_weight, classes, np.ones(len(classes)))
        binarizer = self._binarizer()
        binarizer.fit(X, labels, sample_weight=weight)
        kept = np.flatnonzero(weight)
        table = open_table(X) if len(kept) == len(weight) else open_table(X).take(kept)
        target = codes_of_labels(labels)[1][kept]
        rows = canonical(Examples.read(binarizer.transform_packed(table), target, weight[kept]))
        hashes = row_hashes(binarizer.columns_, table, labels[kept])
        return Read(binarizer, classes, rows, hashes, table, target, weight[kept])

    def _lesson(self, read: Read, X_val: Any = None, y_val: Any = None) -> Lesson:
        """What there is to learn, and from which rows."""
        rng = np.random.default_rng(check_random_state(self.random_state).randint(2**31))
        judges = None if X_val is None and y_val is None else given(read.binarizer, read.classes, X_val, y_val)
        seen = read.rows if judges is None else joined(read.rows, judges)
        task = (self._task if self.recipe == "paper" else self._polish)(read, judges, seen, rng)
        return Lesson(self, read, seen, task, given=judges is not None)

    def _task(self, read: Read, judges: Examples | None, seen: Examples, rng: np.random.Generator) -> Task:
        """Of the paper's recipe."""
        if judges is None:
            training, validation = held_back(read.rows, self.validation_fraction, rng)
            warn_of_small(read.classes, self.validation_fraction, training, validation)
        else:
            training, validation = read.rows, judges
        recipe = recipe_of(self.get_params(deep=False), training.inputs * (2 if self.negation is True else 1))
        return Task(recipe, training, validation, self._weights(read, training), rng)

    def _polish(self, read: Read, judges: Examples | None, seen: Examples, rng: np.random.Generator) -> Polish:
        options, blank = settings_of(self.get_params(deep=False), self._ideas), read.blank()
        problem = options.problem(read.rows, self._weights(read, read.rows), blank, int(rng.integers(2**31)))
        if judges is None:
            held = splits(read.rows, self.validation_fraction, problem.effort, rng)
            warn_of_small(read.classes, self.validation_fraction, *held[0])
        else:
            held = [(read.rows, judges)]
        return Polish(options, problem, held, blank, seen.words, read.seen_by)

    def _weights(self, read: Read, rows: Examples) -> NDArray[np.float64]:
        """Of the classes."""
        share = np.bincount(rows.target, rows.weight, len(read.classes)).astype(np.float64)
        return check_class_weight(self.class_weight, read.classes, share)

    def _descended(self, lesson: Lesson, task: Task, best: Snapshot, history: list[dict[str, Any]]) -> None:
        """Takes over what the paper's recipe learned."""
        rows = lesson.read.rows
        found = extracted(lesson.read, best)
        simple = in_order(simplify(found, lesson.seen.words))
        network = with_statistics(simple, rows.words, rows.target, rows.weight)
        training, validation = task.training, task.validation
        if self.refit:
            training = validation = joined(training, validation)
        source = _source(training, validation, lesson)
        judged = validation_of(network, best.score, source, training, validation)
        trained = self._trained(lesson, best.score)
        trained = with_evidence(trained, network, judged, rows, lesson.read.hashes)
        network = replace(network, training=trained)
        self._take_over(lesson.read, history, (Choice(network.edges, best.score.crs_f1, network, found),), 0)

    def _polished(self, lesson: Lesson, task: Polish, found: Polished) -> None:
        """Takes over what the default recipe learned."""
        source = _source(*task.held[0], lesson)
        choices = tuple(self._choice(lesson, one, source) for one in found.networks)
        self._take_over(lesson.read, [asdict(tried) for tried in found.history], choices, found.chosen)

    def _choice(self, lesson: Lesson, one: Finished, source: str) -> Choice:
        trained = self._trained(lesson, one.tried)
        trained = with_evidence(trained, one.network, held_out(one, source), one.rows, lesson.read.hashes)
        return Choice(one.edges, one.score, replace(one.network, training=trained), one.extracted)

    def _trained(self, lesson: Lesson, best: Any) -> Training:
        dropped = lesson.read.binarizer.categories_dropped_
        return training_of(used(self.get_params()), best, len(lesson.read.hashes), dropped)

    def _take_over(self, read: Read, history: list[dict[str, Any]], choices: tuple[Choice, ...], chosen: int) -> None:
        self.binarizer_, self.classes_, self.history_ = read.binarizer, read.classes, history
        self.frontier_, self.extracted_, self.network_ = choices, choices[chosen].extracted, choices[chosen].network

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
        """How often each class was right on the training rows on which the same classes fire, smoothed.

        The default recipe's networks are right more often on training rows than on others. So the frequencies are less
        what the networks learned without the held-out rows are worse on these, by the class that is answered.
        """
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
        return self.network_.explain(row, fixed=fixed, to=to, **limits)

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
        from conceptrules.report import TITLE, write_report

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
        check(self.get_params(deep=False), signature(ConceptRuleClassifier))

    def _binarizer(self) -> Binarizer:
        return binarizer_of(self.get_params(deep=False))

    def _fired(self, X: Any) -> Bits:
        check_is_fitted(self, "network_")
        return unpack(fired(self.network_, X))


def _source(training: Examples, validation: Examples, lesson: Lesson) -> str:
    """Where the validation rows are from."""
    return TRAINING if validation is training else GIVEN if lesson.given else HELD_BACK
