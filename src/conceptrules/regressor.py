"""ScorecardRegressor: rules that add up to a number."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, NoReturn, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, RegressorMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from conceptrules.explain.number_scores import (
    NumberEvaluation,
    evaluate_numbers,
    find_ends,
    find_errors,
    predict_interval,
)
from conceptrules.learn.coding.number_target import NumberTarget
from conceptrules.learn.coding.table_coding import code_table
from conceptrules.learn.inputs import FitInputs
from conceptrules.learn.points.finish import finish_cards
from conceptrules.learn.points.learning import estimate_bytes
from conceptrules.learn.points.number_rows import make_number_task
from conceptrules.learn.points.numbers import learn_numbers
from conceptrules.learn.points.settings import NumberSettings
from conceptrules.learn.progress import search_progress
from conceptrules.learn.relations import find_relations
from conceptrules.model.errors import InputError
from conceptrules.model.network import RuleNetwork
from conceptrules.model.policy import Policy
from conceptrules.rule_model import SteeredModel
from conceptrules.tables import prediction
from conceptrules.tables.dask_frames import is_dask_frame, map_partitions

Floats = NDArray[np.float64]


def _raise_without_classes(model: object) -> NoReturn:
    """Not there: numbers have no probabilities."""
    raise AttributeError(f"{type(model).__name__} predicts a number and knows no classes")


class ScorecardRegressor(SteeredModel, RegressorMixin, TransformerMixin, BaseEstimator):
    """Learn rules that add up to a number: a base, and what each rule that holds adds to it.

    What is added is a whole number of readable steps, such as 0.5 miles or 1,000 dollars. The card grows by one rule
    after another, all weights are fitted anew after each of them, and held-out rows choose the size.

    Parameters
    ----------
    loss : {"squared_error", "absolute_error", "poisson"}, default="squared_error"
        What is made small: squared errors, for the mean; absolute errors, for the median, which single large numbers
        do not move; or the deviance of counts and amounts that are not negative. With "poisson" rules multiply.
    step : float, default=None
        What one point adds to the prediction. None: 1, 2 or 5 times a power of ten, about a twentieth of the error.
        With "poisson", what it adds to the logarithm of the prediction; None: 0.01, which is about one per cent.
    effort : {"fast", "default", "best"}, default="default"
        How hard to try. "best" takes many times as long.
    max_edges : int, default=None
        The most edges of the card, kept exactly: a condition is one, and so is what a rule adds. None: no limit.
    max_columns : int, default=None
        The most columns that the card asks about, kept exactly. None: no limit.
    max_rule_length : int, default=None
        The most conditions of a rule, kept exactly; with 1, every rule asks about one column. None: three.
    min_rows : int, default=None
        The least rows that every rule covers, as the clause of the same name of a policy. None: they
        grow with the table, as a twentieth of the square root of its rows: 1 of up to 1,600 rows, 5 of 10,000.
    max_bins : int, default=None
        The most parts that a column of numbers is cut into, from 2 to 255. None: 32 of up to 4,000 different
        rows, and 255 of more.
    validation_fraction : float, default=None
        The share of rows held out to judge cards. None: as `ConceptRuleClassifier` holds rows out.
    kinds : dict, default=None
        {column: kind} where a column is not what it seems: "number", "category", "boolean", and so on; or the list of
        its categories in their order; or "text", whose words rules may then ask for.
    max_categories : int, default=255
        How many categories of a column are kept, the most frequent ones; the others read as unseen. At most 255.
    relations : sequence of (str, str, str) or str, or "auto", default=None
        Pairs of columns that rules may subtract, divide or compare, such as ("debt", "/", "income") or ("paid", "<",
        "due"). "auto": pairs of columns of numbers are tried, and taken if held-out rows are clearly for them, see
        `relations_`. None: none.
    keep : sequence of str, default=()
        Columns that are learned from although they look like identifiers, or say on every row what another column says.
        Such columns are left out otherwise, with a line that says so; those of an array, which have no names, and those
        that `kinds` or the policy names are not.
    policy : Policy, default=None
        What every card has to satisfy, and is proved to. Clauses that cannot be kept while learning are refused.
    immutable : sequence of str, default=()
        Columns that cannot change, such as a date of birth: counterfactuals leave them as they are.
    random_state : int or RandomState, default=None
        Where chance comes from. The same seed and data give the same card.
    n_jobs : int, default=None
        How many cores to use. None and -1 take all. The card does not depend on it, nor on the order of the rows.
    verbose : bool, default=False
        Whether to print progress where there is no terminal that could show a bar.

    Attributes
    ----------
    network_ : RuleNetwork
        The card.
    extracted_ : RuleNetwork
        The card before its training rows were counted.
    frontier_ : tuple of Choice
        The Pareto front of size and score on held-out rows, from the smallest card on: R2, or of other losses the
        share that rules take away of the loss without them, as `d2_absolute_error_score` of scikit-learn.
    relations_ : RelationSearch or None
        What `relations="auto"` tried and took, and why; print it.
    history_ : list of dict
        The size and the score of each card that was tried.
    binarizer_ : Binarizer
        How the columns were cut.
    n_features_in_ : int
        The number of columns.
    feature_names_in_ : ndarray of shape (n_features,)
        The names of the columns, where they are text.

    See Also
    --------
    ScorecardClassifier : Rules with points that add up to the score of a class.

    Examples
    --------
    >>> from conceptrules import ScorecardRegressor
    >>> rows, prices = [["yes", 1], ["yes", 2], ["no", 1], ["no", 2]] * 20, [3.0, 3.0, 1.0, 1.0] * 20
    >>> ScorecardRegressor(step=0.5, random_state=0).fit(rows, prices).predict([["yes", 2]])
    array([3.])
    """

    _no_rules_hint = (
        "Try more rows or other columns; model.select(edges=...) switches to the cards with rules that frontier_ has"
    )
    predict_proba = property(_raise_without_classes)
    predict_log_proba = property(_raise_without_classes)

    def __init__(
        self,
        *,
        loss: str = "squared_error",
        step: float | None = None,
        effort: str = "default",
        max_edges: int | None = None,
        max_columns: int | None = None,
        max_rule_length: int | None = None,
        min_rows: int | None = None,
        max_bins: int | None = None,
        validation_fraction: float | None = None,
        kinds: Mapping[Any, Any] | None = None,
        max_categories: int = 255,
        relations: Sequence[tuple[str, str, str] | str] | str | None = None,
        keep: Sequence[str] = (),
        policy: Policy | None = None,
        immutable: Sequence[str] = (),
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: bool = False,
    ) -> None:
        self.loss = loss
        self.step = step
        self.effort = effort
        self.max_edges = max_edges
        self.max_columns = max_columns
        self.max_rule_length = max_rule_length
        self.min_rows = min_rows
        self.max_bins = max_bins
        self.validation_fraction = validation_fraction
        self.kinds = kinds
        self.max_categories = max_categories
        self.relations = relations
        self.keep = keep
        self.policy = policy
        self.immutable = immutable
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    @classmethod
    def from_network(cls, network: RuleNetwork) -> Self:
        """Return an estimator that is fitted already, with this network, which has to predict a number.

        Parameters
        ----------
        network : RuleNetwork
            The network, such as `load` gives it.

        Returns
        -------
        ScorecardRegressor
            An estimator with the default parameters. It has intervals if the network knows errors on held-out rows.
        """
        if network.classes:
            raise InputError("this network predicts a class; give it to ScorecardClassifier or ConceptRuleClassifier")
        model = super().from_network(network)
        del model.classes_
        return model

    def fit(
        self,
        X: Any,
        y: Any,
        *,
        sample_weight: Any = None,
        exposure: Any = None,
        X_val: Any = None,
        y_val: Any = None,
        groups: Any = None,
        time: Any = None,
        scratch: Any = None,
        client: Any = None,
    ) -> Self:
        """Learn the card from a table.

        Parameters
        ----------
        X : table of shape (n_samples, n_features), or files
            A table in memory, files, a stream or a dask DataFrame, as `ConceptRuleClassifier.fit` takes them.
        y : array-like of shape (n_samples,), or str
            The number of each row, or the name of the column of X that has them.
        sample_weight : array-like of shape (n_samples,), or str, default=None
            The weight of each row, or the name of the column of X that has it. Whole numbers act as repeats of the row.
        exposure : array-like of shape (n_samples,), or str, default=None
            How long, or how much, each row was exposed to what `loss="poisson"` counts, such as years of insurance, or
            the name of the column of X that has it. Then rates are learned and predicted, counts for one unit of
            exposure, and a row weighs as much as its exposure, compared with that of others.
        X_val : table, default=None
            Rows that judge cards, instead of rows held out of X. A table of the same kind as X.
        y_val : array-like or str, default=None
            The numbers of these rows. If y is the name of a column, X_val has that column, and y_val may be left out.
        groups : array-like of shape (n_samples,), or str, default=None
            The group of each row, or the name of the column of X that has it. Rows of one group are held out together.
        time : array-like of shape (n_samples,), or str, default=None
            The moment of each row, or the name of the column of X that has it. The newest rows are held out.
        scratch : str or path, default=None
            The folder for what does not fit into memory. None: the usual folder for temporary files.
        client : dask.distributed.Client, default=None
            The cluster that reads a dask DataFrame, or Parquet files.

        Returns
        -------
        ScorecardRegressor
            This estimator, fitted.

        Raises
        ------
        InputError
            If a parameter, the table or the numbers do not fit; the message says what to do.
        """
        self.check_parameters()
        if exposure is not None and self.loss != "poisson":
            raise InputError(f"exposure is for loss='poisson', and loss is {self.loss!r}; leave one of them out")
        inputs = FitInputs(
            X=X, y=y, sample_weight=sample_weight, X_val=X_val, y_val=y_val, groups=groups, time=time, exposure=exposure
        )
        settings = self._settings()
        options = self._make_options(
            settings, partial(estimate_bytes, settings), number=NumberTarget(counts=settings.loss == "poisson")
        )
        options = find_relations(inputs, options, scratch, client)
        with code_table(inputs, options, scratch, client) as coded:
            self._check_immutable([column.name for column in coded.binarizer.columns_])
            numbers = make_number_task(coded, options)
            with search_progress(None, self.verbose) as watch:
                result = learn_numbers(numbers, options.threads, watch)
            finished = finish_cards(result, coded, numbers.task, options)
        self._set_result(result, coded, finished, "card", "cards")
        del self.classes_  # the quantiles of the target, which only the pipeline knows
        return self._finalize(y, result.interrupted)

    def predict(self, X: Any, *, abstain: prediction.Abstain | None = None) -> Floats:
        """Predict the number of each row.

        Parameters
        ----------
        X : table of shape (n_samples, n_features)
            A table of pandas, polars or pyarrow, a 2-D array, or rows as lists or dictionaries.
        abstain : None
            Networks that predict a number always answer.

        Returns
        -------
        ndarray of shape (n_samples,)
            The base and what the rules that hold add to it or multiply it by; of rates, for one unit of exposure.
        """
        check_is_fitted(self, "network_")
        if is_dask_frame(X):
            return map_partitions(partial(prediction.predict, self.network_, abstain=abstain), X)
        return prediction.predict(self.network_, X, abstain)

    def evaluate(  # type: ignore[override]  # other metrics, of another type
        self, X: Any, y: Any, *, exposure: Any = None
    ) -> NumberEvaluation:
        """Return standard metrics on rows whose numbers are known, beside those of the mean and the median.

        Parameters
        ----------
        X : table of shape (n_samples, n_features)
            The rows.
        y : array-like of shape (n_samples,)
            Their numbers.
        exposure : array-like of shape (n_samples,), default=None
            What each row is exposed to: predicted rates are multiplied by it before they are compared.

        Returns
        -------
        NumberEvaluation
            R2, the root of the mean squared error, and the mean absolute error. It prints as text.
        """
        check_is_fitted(self, "network_")
        return evaluate_numbers(self.network_, X, y, exposure)

    def predict_interval(self, X: Any, coverage: float = 0.9) -> Floats:
        """Return an interval for the number of each row, from the errors on the rows that the folds held out.

        With `loss="poisson"` it grows with the root of the prediction, as counts vary, and does not go below 0; it is
        for rows with exposures as those that were learned from.

        Parameters
        ----------
        X : table of shape (n_samples, n_features)
            The rows.
        coverage : float, default=0.9
            The share of rows whose number is to be in its interval. `measure_coverage` says what it was.

        Returns
        -------
        ndarray of shape (n_samples, 2)
            The lower and the upper end.
        """
        check_is_fitted(self, "network_")
        return predict_interval(self.network_, X, coverage)

    def measure_coverage(self, coverage: float = 0.9) -> Floats:
        """Return the share of the held-out rows of each fold that is in intervals which the other folds give.

        Parameters
        ----------
        coverage : float, default=0.9
            The share that was asked for.

        Returns
        -------
        ndarray of shape (n_folds,)
            The shares; their mean is the coverage to expect, and their differences show how firm it is. Where only one
            part of the rows was held out, its own errors gave the intervals.
        """
        check_is_fitted(self, "network_")
        errors = find_errors(self.network_, coverage)
        shares = []
        for fold, own in enumerate(errors):
            others = np.delete(errors, fold, axis=0) if len(errors) > 1 else errors
            low, high = find_ends(others, coverage)
            shares.append(float(np.mean((low <= own) & (own <= high))))
        return np.array(shares)

    def _settings(self) -> NumberSettings:
        """Return the settings of the learner, checked."""
        return NumberSettings(
            effort=self.effort,
            max_edges=self.max_edges,
            max_columns=self.max_columns,
            max_rule_length=self.max_rule_length,
            usual_support=self.min_rows is None,
            loss=self.loss,
            step=self.step,
        )
