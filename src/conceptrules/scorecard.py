"""ScorecardClassifier: rules with whole-number points that add up to a score."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from conceptrules.learn.coding.table_coding import code_table
from conceptrules.learn.inputs import FitInputs
from conceptrules.learn.points.finish import finish_cards
from conceptrules.learn.points.learning import estimate_bytes, learn_cards
from conceptrules.learn.points.policy import apply_policy
from conceptrules.learn.points.settings import CardSettings, read_costs
from conceptrules.learn.progress import search_progress
from conceptrules.learn.relations import find_relations
from conceptrules.learn.task import make_task
from conceptrules.model.policy import Policy
from conceptrules.model.scoring import decision_values
from conceptrules.rule_model import SteeredModel
from conceptrules.tables import prediction


class ScorecardClassifier(SteeredModel, ClassifierMixin, TransformerMixin, BaseEstimator):
    """Learn a scorecard: a few rules with whole-number points that add up to a score.

    Two classes have one score, and a table says how probable the second class is at each value of it. Several classes
    have a score each. The card grows by one rule after another, all weights are fitted anew after each of them, and
    held-out rows choose the size, calibrate the probabilities and set the cut-off.

    Parameters
    ----------
    effort : {"fast", "default", "best"}, default="default"
        How hard to try. "best" takes many times as long.
    scoring : {"neg_log_loss", "roc_auc", "roc_auc_ovr", "neg_brier_score", "f1_macro", "accuracy", \
"balanced_accuracy"}, default="neg_log_loss"
        What held-out rows choose the size by, under scikit-learn's names. The last three also set the cut-off, which
        the others set for macro-F1.
    max_edges : int, default=None
        The most edges of the card, kept exactly: a condition is one, and so are the points of a rule for a class.
        None: no limit.
    max_columns : int, default=None
        The most columns that the card asks about, kept exactly. None: no limit.
    max_rule_length : int, default=None
        The most conditions of a rule, kept exactly; with 1, every rule asks about one column. None: three.
    max_points : int, default=20
        The most points of a rule, up or down, kept exactly.
    min_rows : int, default=None
        The least rows that every rule covers, kept exactly, as the clause of the same name of a policy; each of its
        conditions leaves out as many. None: they grow with the table, as a quarter of the square root of its rows: 8
        of 1,000, 25 of 10,000, 250 of a million.
    cutoff : int or float, default=None
        Of two classes, where the second one is answered: from this score on, or from the first score on at which it is
        this probable (a number between 0 and 1). None: where held-out rows have the best macro-F1.
    costs : array-like of shape (n_classes, n_classes), default=None
        What each answer (column) costs on the rows of each class (row), in the order of `classes_`. The cut-off is then
        the one that costs least on held-out rows.
    max_bins : int, default=None
        The most parts that a column of numbers is cut into, from 2 to 255. None: 32 of up to 4,000 different
        rows, and 64 of more.
    validation_fraction : float, default=None
        The share of rows held out to judge cards. None: as `ConceptRuleClassifier` holds rows out.
    class_weight : dict or "balanced", default=None
        What a row of each class counts while rules, sizes and cut-offs are chosen: {class: weight}. Probabilities stay
        those of the rows as they are. None: all count the same.
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
        The card; print it.
    extracted_ : RuleNetwork
        The same card.
    frontier_ : tuple of Choice
        The Pareto front: cards from the smallest on, each better on held-out rows than all smaller ones, and the chosen
        one, with their `edges`, their `score` on held-out rows and their `network`. `select` takes another.
    binarizer_ : Binarizer
        What read the table.
    relations_ : RelationSearch or None
        What `relations="auto"` tried and took, and why; print it.
    history_ : list of dict
        A line for each card of the path.
    n_passes_ : int
        The number of passes over all rows after they were read.
    classes_ : ndarray of shape (n_classes,)
        The classes, sorted.
    n_features_in_ : int
        The number of columns.
    feature_names_in_ : ndarray of shape (n_features,)
        The names of the columns, where they are text.

    See Also
    --------
    ConceptRuleClassifier : Rules of which one is enough for a class.

    Examples
    --------
    >>> from conceptrules import ScorecardClassifier
    >>> rows, answers = [["yes", 1], ["yes", 2], ["no", 1], ["no", 2]] * 20, ["a", "a", "b", "b"] * 20
    >>> ScorecardClassifier(random_state=0).fit(rows, answers).predict([["yes", 2]])
    array(['a'], dtype='<U1')
    """

    _no_rules_hint = (
        "Try more rows or other columns; clf.select(edges=...) switches to the cards with rules that frontier_ has"
    )

    def __init__(
        self,
        *,
        effort: str = "default",
        scoring: str = "neg_log_loss",
        max_edges: int | None = None,
        max_columns: int | None = None,
        max_rule_length: int | None = None,
        max_points: int = 20,
        min_rows: int | None = None,
        cutoff: float | None = None,
        costs: Sequence[Sequence[float]] | None = None,
        max_bins: int | None = None,
        validation_fraction: float | None = None,
        class_weight: Mapping[Any, float] | str | None = None,
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
        self.effort = effort
        self.scoring = scoring
        self.max_edges = max_edges
        self.max_columns = max_columns
        self.max_rule_length = max_rule_length
        self.max_points = max_points
        self.min_rows = min_rows
        self.cutoff = cutoff
        self.costs = costs
        self.max_bins = max_bins
        self.validation_fraction = validation_fraction
        self.class_weight = class_weight
        self.kinds = kinds
        self.max_categories = max_categories
        self.relations = relations
        self.keep = keep
        self.policy = policy
        self.immutable = immutable
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def fit(
        self,
        X: Any,
        y: Any,
        *,
        sample_weight: Any = None,
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
            The class of each row, or the name of the column of X that has them.
        sample_weight : array-like of shape (n_samples,), or str, default=None
            The weight of each row, or the name of the column of X that has it. Whole numbers act as repeats of the row.
        X_val : table, default=None
            Rows that judge cards, instead of rows held out of X. A table of the same kind as X.
        y_val : array-like or str, default=None
            The classes of these rows. If y is the name of a column, X_val has that column, and y_val may be left out.
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
        ScorecardClassifier
            This estimator, fitted.

        Raises
        ------
        InputError
            If a parameter, the table or the classes do not fit; the message says what to do.
        """
        self.check_parameters()
        inputs = FitInputs(
            X=X, y=y, sample_weight=sample_weight, X_val=X_val, y_val=y_val, groups=groups, time=time
        )  # fmt: skip
        settings = self._settings()
        options = self._make_options(settings, partial(estimate_bytes, settings))
        options = find_relations(inputs, options, scratch, client)
        with code_table(inputs, options, scratch, client) as coded:
            self._check_immutable([column.name for column in coded.binarizer.columns_])
            task = apply_policy(make_task(coded, options), coded.weight)
            with search_progress(None, self.verbose) as watch:
                result = learn_cards(task, options.threads, watch)
            finished = finish_cards(result, coded, task, options)
        return self._set_result(result, coded, finished, "card", "cards")._finalize(y, result.interrupted)

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Return the score of each row, measured from where the answer changes.

        For two classes it is the score less the cut-off, plus a half, so that it is positive just where `predict`
        answers the second class. For several classes it is the score of each class with its offset, so that `predict`
        answers the first of the largest ones.

        Parameters
        ----------
        X : table of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_classes)
            The scores.
        """
        check_is_fitted(self, "network_")
        head = self.network_.head
        assert head is not None
        return decision_values(head, prediction.find_scores(self.network_, X))

    def _settings(self) -> CardSettings:
        """Return the settings of the learner, checked."""
        return CardSettings(
            effort=self.effort,
            scoring=self.scoring,
            max_edges=self.max_edges,
            max_columns=self.max_columns,
            max_rule_length=self.max_rule_length,
            usual_support=self.min_rows is None,
            max_points=self.max_points,
            cutoff=self.cutoff,
            costs=read_costs(self.costs),
        )
