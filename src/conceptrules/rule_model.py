"""What all estimators can do once they have learned a network; their docstrings list its attributes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, replace
from functools import partial, wraps
from html import escape
from numbers import Integral
from os import PathLike
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, Protocol, Self, TypeVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils import estimator_html_repr
from sklearn.utils.validation import check_is_fitted

from conceptrules.binarize import Binarizer
from conceptrules.binarize.inspection import Finding
from conceptrules.edit.trail import dropped_rules
from conceptrules.explain.importance_scores import column_shares
from conceptrules.explain.number_scores import NumberEvaluation
from conceptrules.explain.scores import Evaluation, evaluate
from conceptrules.io.model_file import save
from conceptrules.learn.checks import (
    add_least_rows,
    check_common,
    check_rules,
    count_threads,
    make_binarizer,
    make_generator,
)
from conceptrules.learn.inputs import FitOptions, LearnerSettings, Settings
from conceptrules.logic.canonical import drop_unused_predicates
from conceptrules.model.errors import InputError, NothingLearnedWarning, warn
from conceptrules.model.evaluation import Bits, layers, unpack
from conceptrules.model.network import RuleNetwork
from conceptrules.model.pareto import Choice, choose_by_score, choose_by_size
from conceptrules.model.policy import Banned, Forbidden, Locked, Policy
from conceptrules.model.policy.policy import read_banned_rule
from conceptrules.model.scoring import answer_scores, score_numbers
from conceptrules.model.text import node_names
from conceptrules.tables import prediction
from conceptrules.tables.dask_frames import is_dask_frame, map_partitions
from conceptrules.tables.table import nearest, open_table, read_packed_bits

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from conceptrules.learn.checkpoint import Checkpoint
    from conceptrules.learn.coding.number_target import NumberTarget
    from conceptrules.learn.finish import FinishedFit
    from conceptrules.learn.points.learning import CardResult
    from conceptrules.learn.points.numbers import NumberResult
    from conceptrules.learn.relations import RelationSearch
    from conceptrules.learn.search.search import SearchResult
    from conceptrules.report.model_card import ModelCard

_OF_CLASSES = ("confusion", "roc", "reliability", "scores", "gains", "lift")
_OF_NUMBERS = ("predicted", "residuals")
_OF_ROWS = (*_OF_CLASSES, *_OF_NUMBERS)
_PLOTS = ("pareto_front", "coverage", "history", "importance", *_OF_ROWS)
DOCUMENTATION = "https://github.com/conceptrules/conceptrules/blob/main/docs/learning.md"


P = ParamSpec("P")
R = TypeVar("R")


def _call_network(method: Callable[Concatenate[RuleNetwork, P], R]) -> Callable[Concatenate[RuleModel, P], R]:
    """Return a method of a network as one of a fitted estimator, with its documentation."""

    @wraps(method)
    def call(model: RuleModel, *arguments: P.args, **options: P.kwargs) -> R:
        check_is_fitted(model, "network_")
        return method(model.network_, *arguments, **options)

    return call


class Learned(Protocol):
    """What a table was read as."""

    @property
    def binarizer(self) -> Binarizer: ...

    @property
    def classes(self) -> NDArray[Any]: ...


class RuleModel:
    """Mixin of estimators that learn a `RuleNetwork`: they predict, explain, transform, export and report by it."""

    network_: RuleNetwork
    extracted_: RuleNetwork  # before simplification
    frontier_: tuple[Choice, ...]  # the Pareto front
    history_: list[dict[str, Any]]  # what was tried
    binarizer_: Binarizer
    classes_: NDArray[Any]  # sorted

    # What to try where no rule was learned.
    _no_rules_hint = "Try more rows or other columns"

    # Where scikit-learn's own diagram of an estimator links to.
    _doc_link_module = "conceptrules"
    _doc_link_template = DOCUMENTATION

    @classmethod
    def from_network(cls, network: RuleNetwork) -> Self:
        """Return an estimator that is fitted already, with this network.

        Parameters
        ----------
        network : RuleNetwork
            The network, such as `load` gives it.

        Returns
        -------
        estimator
            An estimator with the default parameters. It predicts, explains, transforms, exports and reports; `fit`
            learns anew, and `frontier_` has this network only.

        Examples
        --------
        >>> from conceptrules import ConceptRuleClassifier
        >>> from conceptrules.model import Column, Concept, Interval, Level, Literal, Rule
        >>> level = Level([Rule([Literal(0)])], [Concept([0]), Concept()])
        >>> network = RuleNetwork([Column("age")], [Interval("age", 41)], [level], ["old", "young"], default="young")
        >>> ConceptRuleClassifier.from_network(network).predict([{"age": 50}])
        array(['old'], dtype='<U5')
        """
        model = cls()
        model.binarizer_ = Binarizer()
        model.binarizer_.columns_, model.binarizer_.predicates_ = network.columns, network.predicates
        model.binarizer_.categories_dropped_ = network.training.categories_dropped if network.training else ()
        model.binarizer_.n_features_in_ = len(network.own_columns)
        model.binarizer_.feature_names_in_ = np.array([column.name for column in network.own_columns], dtype=object)
        model.classes_, model.history_ = prediction.compile_plan(network).labels, []
        score = network.training.validation.macro_f1 if network.training and network.training.validation else np.nan
        model.frontier_ = (Choice(network.edges, score, network, network),)
        model.network_ = model.extracted_ = network
        return model

    def predict(self, X: Any, *, abstain: prediction.Abstain | None = None) -> NDArray[Any]:
        """Predict the class of each row.

        Parameters
        ----------
        X : table of shape (n_samples, n_features)
            A table of pandas, polars or pyarrow, a 2-D array, or rows as lists or dictionaries.
        abstain : {"none", "several", "both"}, default=None
            On which rows to answer None instead of a class: where no class fires, where several do, or both.

        Returns
        -------
        ndarray of shape (n_samples,)
            The class of each row. Of a dask DataFrame, a dask Series, worked out where its partitions are.
        """
        check_is_fitted(self, "network_")
        if is_dask_frame(X):
            return map_partitions(partial(prediction.predict, self.network_, abstain=abstain), X)
        if abstain is not None:
            return prediction.predict(self.network_, X, abstain)
        labels: NDArray[Any] = self.classes_.take(prediction.decide(self.network_, X))
        return labels

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Predict the probability of each class.

        It is how often each class was right on the training rows with the same outcome, smoothed, less what networks
        learned without the held-out rows lose on these (`network_.statistics.optimism`). Rows count as they are in the
        table, whatever `class_weight` says. `predict` need not answer the class of the largest probability: priority
        and `class_weight` decide, as a cut-off does. The counts are in `network_.statistics.patterns`.

        Parameters
        ----------
        X : table of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            The probabilities, in the order of `classes_`.
        """
        check_is_fitted(self, "network_")
        return prediction.predict_proba(self.network_, X)

    def predict_log_proba(self, X: Any) -> NDArray[np.float64]:
        """Predict the logarithm of the probability of each class.

        Parameters
        ----------
        X : table of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            The logarithms of `predict_proba`; minus infinity where that is 0.
        """
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))

    contributions = _call_network(RuleNetwork.contributions)
    explain = _call_network(RuleNetwork.explain)
    reasons = _call_network(RuleNetwork.reasons)
    export = _call_network(RuleNetwork.export)

    def evaluate(self, X: Any, y: Any, *, positive: Any = None) -> Evaluation:
        """Return standard metrics on rows whose classes are known.

        Parameters
        ----------
        X : table of shape (n_samples, n_features)
            The rows.
        y : array-like of shape (n_samples,)
            Their classes.
        positive : label, default=None
            For two classes, the one that Gini, KS and cut-offs are about; None takes the second of `classes_`.

        Returns
        -------
        Evaluation
            Accuracy, AUC, log loss, precision and recall of each class, calibration and cut-offs. It prints as text.
        """
        check_is_fitted(self, "network_")
        return evaluate(self.network_, X, y, positive=positive)

    @property
    def feature_importances_(self) -> NDArray[np.float64]:
        """The share of the training rows that each column helps to decide, in the order of the columns.

        A rule counts by the training rows that it decides, divided evenly among the columns that it asks about. The
        shares sum to 1, or to 0 if there is no rule.
        `conceptrules.importance` counts on given rows how many decisions change without a column.
        """
        check_is_fitted(self, "network_")
        return column_shares(self.network_)

    def transform(self, X: Any, *, layer: int = -2) -> Any:
        """Return a layer of the network as features.

        Parameters
        ----------
        X : table of shape (n_samples, n_features)
            The rows.
        layer : int, default=-2
            The layer: 0 for the predicates in use (`binarizer_.transform` gives all), 1 for the first rules, 2 for
            their concepts, and so on up to the classes.
            Negative numbers count from the top, so the default is the rules just below the classes.

        Returns
        -------
        ndarray of bool of shape (n_samples, n_nodes), or what `set_output` asks for
            Which nodes of the layer hold on each row.
        """
        check_is_fitted(self, "network_")
        transformer = _LayerTransformer(self.network_, self._layer(layer))
        return transformer.set_output(transform=getattr(self, "_container", None)).transform(X)

    def get_feature_names_out(self, input_features: Any = None, *, layer: int = -2) -> NDArray[np.object_]:
        """Return what each column of `transform` says, in words.

        Parameters
        ----------
        input_features : array-like of str, default=None
            The names of the columns; they have to be those of the fit.
        layer : int, default=-2
            The layer, as in `transform`.

        Returns
        -------
        ndarray of str
            A text for each node of the layer.
        """
        check_is_fitted(self, "network_")
        self.binarizer_.get_feature_names_out(input_features)  # objects to names that are not those of the fit
        return _LayerTransformer(self.network_, self._layer(layer)).get_feature_names_out()

    def set_output(self, *, transform: str | None = None) -> Self:
        """Set the container that `transform` returns.

        Parameters
        ----------
        transform : {"default", "pandas", "polars"}, default=None
            The container; None leaves it as it is.

        Returns
        -------
        estimator
            This estimator.
        """
        if transform is not None:
            self._container = transform
        return self

    def select(self, *, edges: int | None = None, within: float | None = None) -> Self:
        """Switch to another network of the Pareto front, without fitting again. Give one of the two parameters.

        Parameters
        ----------
        edges : int, default=None
            Take the best network with at most so many edges.
        within : float, default=None
            Take the smallest network whose score on the held-out rows is at most so much below the best.

        Returns
        -------
        estimator
            This estimator, with another `network_` and `extracted_`.
        """
        check_is_fitted(self, "network_")
        if (edges is None) == (within is None):
            raise InputError("give select either edges=40 (the best of at most so many edges) or within=0.01")
        front = self.frontier_
        chosen = choose_by_score(front, within) if edges is None else choose_by_size(front, edges)
        self.network_, self.extracted_ = chosen.network, chosen.extracted
        return self

    def save(self, path: str | PathLike[str]) -> None:
        """Write the network to a model file.

        Parameters
        ----------
        path : str or path
            Where to write. The file appears whole or not at all.
        """
        check_is_fitted(self, "network_")
        save(self.network_, path)

    def report(
        self,
        X: Any,
        y: Any,
        path: str | PathLike[str],
        *,
        title: str | None = None,
        include_rows: bool = False,
        by: Sequence[str] = (),
    ) -> None:
        """Write one HTML file that says what the model does, how well on these rows, and how far to trust it.

        Parameters
        ----------
        X : table of shape (n_samples, n_features)
            Rows to test the model on.
        y : array-like of shape (n_samples,)
            Their classes.
        path : str or path
            Where to write.
        title : str, default=None
            The heading; None takes the name of `y`, if it has one.
        include_rows : bool, default=False
            Whether rows of X may be in the file, to try the model on.
        by : sequence of str, default=()
            Columns of X whose groups the audit scores one by one, beside those that the policy wants fair.
        """
        from conceptrules.report import TITLE, write_report

        check_is_fitted(self, "network_")
        name = getattr(y, "name", None)
        chosen = title or (f"Predicting {name}" if isinstance(name, str) and name else TITLE)
        write_report(self.network_, X, y, path, title=chosen, include_rows=include_rows, by=by)

    def plot(self, what: str = "pareto_front", X: Any = None, y: Any = None) -> Figure:
        """Plot something about the model; `conceptrules.plots` has the same for other values.

        Parameters
        ----------
        what : str, default="pareto_front"
            What to plot: "pareto_front", "coverage", "history" or "importance"; of classes "confusion", "roc",
            "reliability", "scores", "gains" or "lift"; of numbers "predicted" or "residuals".
        X : table of shape (n_samples, n_features), default=None
            Rows, which all but the first three need.
        y : array-like of shape (n_samples,), default=None
            Their classes or numbers, which all but the first four need.

        Returns
        -------
        matplotlib.figure.Figure
            The figure: a notebook shows it, `savefig` writes it.

        Raises
        ------
        InputError
            If there is no such plot, rows or classes are missing, or matplotlib is not installed.
        """
        from conceptrules.draw import plots
        from conceptrules.explain import coverage, importance

        check_is_fitted(self, "network_")
        match what:
            case "pareto_front":
                return plots.pareto_front(self.frontier_)
            case "coverage":
                return plots.coverage(coverage(self.network_))
            case "history":
                return plots.history(self.history_, training=self.network_.training)
            case "importance" if X is not None:
                return plots.importance(importance(self.network_, X))
            case _ if what in _OF_ROWS and X is not None and y is not None:
                return self._plot_rows(what, self.network_.evaluate(X, np.asarray(y).tolist()))
            case _ if what in ("importance", *_OF_ROWS):
                raise InputError(f"the plot {what!r} needs rows; give X{' and y' if what in _OF_ROWS else ''}")
        raise InputError(f"there is no plot {what!r}; {nearest(str(what), _PLOTS)}")

    def _plot_rows(self, what: str, result: Evaluation | NumberEvaluation) -> Figure:
        """Plot how good the model is on rows."""
        from conceptrules.draw import plots

        if (what in _OF_NUMBERS) != isinstance(result, NumberEvaluation):
            about = _OF_CLASSES if what in _OF_NUMBERS else _OF_NUMBERS
            raise InputError(
                f"the plot {what!r} is about {'numbers' if what in _OF_NUMBERS else 'classes'}, which this model does "
                f"not predict; it can be {', '.join(map(repr, about))}"
            )
        if isinstance(result, Evaluation) and what == "confusion":
            return plots.confusion(result.confusion, result.classes)
        figure: Figure = getattr(plots, what)(result)
        return figure

    def model_card(
        self, X: Any = None, y: Any = None, *, title: str | None = None, intended_use: str = "", owner: str = ""
    ) -> ModelCard:
        """Return a model card: what the model is for, what it learned from, how good it is and where it fails.

        Parameters
        ----------
        X : table of shape (n_samples, n_features), default=None
            Rows to test the model on. Without rows, the card has no scores.
        y : array-like of shape (n_samples,), default=None
            Their classes.
        title : str, default=None
            The heading; None takes the name of the target, if it has one.
        intended_use : str, default=""
            What the model is for, and what not; without it the card says that it is missing.
        owner : str, default=""
            Who answers for the model.

        Returns
        -------
        ModelCard
            The card: it prints as Markdown, a notebook shows it, `save` writes it as Markdown or HTML.
        """
        from conceptrules.report.model_card import model_card

        check_is_fitted(self, "network_")
        chosen = title or (f"Predicting {self.network_.target}" if self.network_.target else "A concept rule set")
        return model_card(self.network_, X, y, title=chosen, intended_use=intended_use, owner=owner)

    @property
    def n_features_in_(self) -> int:
        """The number of columns of the table."""
        return self.binarizer_.n_features_in_

    @property
    def feature_names_in_(self) -> NDArray[np.object_]:
        """The names of the columns, where they are text."""
        return self.binarizer_.feature_names_in_

    @property
    def inspection_(self) -> tuple[Finding, ...]:
        """What is worth a look about the table that `fit` saw, such as copies of the target; none of a loaded model."""
        return getattr(self.binarizer_, "inspection_", ())

    @property
    def relations_(self) -> RelationSearch | None:
        """What `relations="auto"` tried and took, and why; None where that was not asked for."""
        search: RelationSearch | None = getattr(self.binarizer_, "relation_search", None)
        return search

    def _repr_html_(self) -> str:
        """Return what a notebook shows: the rules, or before fitting what scikit-learn shows."""
        if not hasattr(self, "network_"):
            shown: str = estimator_html_repr(self)
            return shown
        link = f'<a href="{DOCUMENTATION}" rel="noreferrer" target="_blank">documentation</a>'
        return f"<p>{escape(type(self).__name__)}: {link}</p>{self.network_._repr_html_()}"

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        """Return what a notebook asks for first."""
        return {"text/plain": repr(self), "text/html": self._repr_html_()}

    def __sklearn_clone__(self) -> Self:
        twin: Self = super().__sklearn_clone__()  # type: ignore[misc]
        return twin.set_output(transform=getattr(self, "_container", None))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()  # type: ignore[misc]
        tags.input_tags = Binarizer().__sklearn_tags__().input_tags
        tags.transformer_tags.preserves_dtype = []
        return tags

    def _set_fitted(
        self, data: Learned, history: Sequence[dict[str, Any]], front: Sequence[Choice], chosen: int = 0
    ) -> Self:
        """Become the fitted model, whose networks have only the predicates that they use."""
        self.binarizer_, self.classes_, self.history_ = data.binarizer, data.classes, list(history)
        self.frontier_ = tuple(replace(choice, network=drop_unused_predicates(choice.network)) for choice in front)
        self.network_, self.extracted_ = self.frontier_[chosen].network, self.frontier_[chosen].extracted
        return self

    def _finalize(self, y: Any, interrupted: bool, reason: str = "no rules did better on held-out rows") -> Self:
        """Give the networks the name of the target, if `y` has or is one; warn if nothing was learned; pass Ctrl-C on.

        A fit that returned as if nothing had happened would let a cross-validation go on with its next fold.
        """
        name = y if isinstance(y, str) else getattr(y, "name", None)
        if isinstance(name, str):
            chosen = next(i for i, choice in enumerate(self.frontier_) if choice.network is self.network_)
            self.frontier_ = tuple(replace(c, network=replace(c.network, target=name)) for c in self.frontier_)
            self.network_ = self.frontier_[chosen].network
        if not self.network_.edges:
            warn(
                NothingLearnedWarning(
                    f"no rule was learned, so that every row gets {_find_only_answer(self.network_)}: {reason}. "
                    f"{self._no_rules_hint}"
                )
            )
        if interrupted:
            raise KeyboardInterrupt("the estimator has the best network so far")
        return self

    def _layer(self, layer: int) -> int:
        """Return the number of a layer, counted from the bottom."""
        count = 2 * len(self.network_.levels) + 1
        if not isinstance(layer, Integral) or not -count <= layer < count:
            raise InputError(f"layer is {layer!r}; this network has the layers 0 (predicates) to {count - 1} (classes)")
        return int(layer) % count


def _find_only_answer(network: RuleNetwork) -> str:
    """Return what a network without rules answers."""
    if network.head is None:
        return f"the class {network.default!r}"
    base = np.array([network.head.base])
    if network.head.step is not None:
        return f"the number {score_numbers(network.head, base)[0]:g}"
    return f"the class {network.classes[int(answer_scores(network.head, base)[0])]!r}"


class SteeredModel(RuleModel):
    """Mixin of estimators that search: they learn under a policy, and again around what people have edited."""

    n_passes_: int  # over all rows, after they were read

    # Parameters that all of them have.
    max_bins: int | None
    min_rows: int | None
    validation_fraction: float | None
    kinds: Mapping[Any, Any] | None
    max_categories: int
    relations: Sequence[tuple[str, str, str] | str] | str | None
    keep: Sequence[str]
    policy: Policy | None
    immutable: Sequence[str] | str
    random_state: Any
    n_jobs: int | None
    verbose: bool

    def refit(self, X: Any, y: Any, *, around: RuleNetwork, **others: Any) -> Self:
        """Learn again around the locked rules of an edited network.

        The rules that its policy locks stay word for word, those of a scorecard with their points in proportion, and
        the rest is learned anew. Rules that were dropped are
        banned: they are not learned again, nor others of their class with nine in ten of their rows in the same region.
        Its other edits are not made again: `conceptrules.edit.replay(around.trail, clf.network_)` does that, and shows
        conflicts.

        Parameters
        ----------
        X : table of shape (n_samples, n_features)
            The rows to learn from.
        y : array-like of shape (n_samples,)
            The class or the number of each row.
        around : RuleNetwork
            The edited network.
        **others
            The other parameters of `fit`.

        Returns
        -------
        estimator
            This estimator, fitted; its `policy` has the locked and the banned rules as well.

        Raises
        ------
        InputError
            If the locked rules contradict the policy of the estimator, or do not fit the table.
        """

        policy, edited = self.policy or Policy(), around.policy or Policy()
        forbidden = [clause.column for clause in policy.of_kind(Forbidden)]
        known = [name for name in open_table(X).names if name not in forbidden]
        dropped = [Banned(*rule) for rule in dropped_rules(around)]
        banned = [
            ban
            for ban in dropped
            if all(test.predicate.column in known for test in read_banned_rule(ban, around.columns))
        ]
        clauses = dict.fromkeys((*policy.clauses, *edited.of_kind(Locked), *edited.of_kind(Banned), *banned))
        changed: dict[str, Any] = {"policy": replace(policy, clauses=tuple(clauses))}
        if around.head is not None and around.head.step is not None and getattr(self, "step", None) is None:
            changed["step"] = around.head.step  # in which locked points count
        return self.set_params(**changed).fit(X, y, **others)  # type: ignore[attr-defined]

    def check_parameters(self) -> None:
        """Check all parameters; `fit` does this before it reads the table.

        Raises
        ------
        InputError
            If a parameter is out of range; the message says what it can be.
        """
        fraction = 0.2 if self.validation_fraction is None else self.validation_fraction
        check_common(self.n_jobs, fraction, self.random_state)
        self._make_binarizer()
        self._settings()
        check_rules(self.min_rows, self.policy)

    def _settings(self) -> LearnerSettings:
        """Return the settings of the learner, checked."""
        raise NotImplementedError

    def _make_binarizer(self) -> Binarizer:
        return make_binarizer(self.kinds, self.max_bins, self.max_categories, self.policy, self.relations, self.keep)

    def _make_options(
        self,
        settings: Settings,
        estimate_bytes: Callable[[int, int, int], float],
        checkpoint: Checkpoint | None = None,
        number: NumberTarget | None = None,
    ) -> FitOptions[Settings]:
        return FitOptions(
            settings=settings,
            policy=add_least_rows(self.policy, self.min_rows),
            class_weight=getattr(self, "class_weight", None),  # numbers have no classes
            binarizer=self._make_binarizer(),
            max_bins=self.max_bins and int(self.max_bins),
            validation_fraction=self.validation_fraction,
            threads=count_threads(self.n_jobs),
            verbose=self.verbose,
            parameters=self.get_params(),  # type: ignore[attr-defined]
            rng=make_generator(self.random_state),
            estimate_bytes=estimate_bytes,
            checkpoint=checkpoint,
            number=number,
        )

    def _set_result(
        self,
        result: SearchResult | CardResult | NumberResult,
        data: Learned,
        finished: FinishedFit,
        kind: str,
        trials: str,
    ) -> Self:
        """Become the model that a search ended with, and say so where Ctrl-C ended it."""
        if result.interrupted:
            warn(f"the search was interrupted; the best {kind} so far is kept ({len(result.history)} {trials} tried)")
        self.n_passes_ = finished.passes
        return self._set_fitted(data, [asdict(trial) for trial in result.history], finished.choices, finished.chosen)

    def _check_immutable(self, names: Sequence[str]) -> None:
        columns = [self.immutable] if isinstance(self.immutable, str) else list(self.immutable)
        for name in columns:
            if name not in names:
                known = nearest(str(name), names)
                raise InputError(f"immutable names column {name!r}, which is not in the table; {known}")


class _LayerTransformer(TransformerMixin, BaseEstimator):
    """One layer of a network as a transformer, for scikit-learn to put its output into the container asked for."""

    def __init__(self, network: RuleNetwork, layer: int) -> None:
        self.network = network
        self.layer = layer

    def fit(self, X: Any, y: Any = None) -> Self:
        return self

    def transform(self, X: Any) -> Bits:
        words = read_packed_bits(self.network.columns, self.network.predicates, X)
        return unpack(layers(self.network, words)[self.layer])

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[np.object_]:
        return np.array(node_names(self.network, self.layer), dtype=object)
