"""ConceptRuleClassifier: rules found by a search over discrete networks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, Self

from sklearn.base import BaseEstimator, ClassifierMixin, TransformerMixin

from conceptrules.learn.checkpoint import open_checkpoint
from conceptrules.learn.checks import count_threads
from conceptrules.learn.coding.table_coding import code_table
from conceptrules.learn.finish import finish_fit
from conceptrules.learn.inputs import FitInputs
from conceptrules.learn.progress import search_progress
from conceptrules.learn.relations import find_relations
from conceptrules.learn.search.policy_masks import apply_policy
from conceptrules.learn.search.search import choose_penalties, estimate_bytes, search_networks
from conceptrules.learn.search.settings import SearchSettings
from conceptrules.learn.task import make_task
from conceptrules.model.policy import Policy
from conceptrules.rule_model import SteeredModel

_TOO_FEW_ROWS = "the table is too small to tell rules from chance on held-out rows"
_NOT_BETTER = "no rules did better on held-out rows than chance explains"


class ConceptRuleClassifier(SteeredModel, ClassifierMixin, TransformerMixin, BaseEstimator):
    """Learn a Concept Rule Set, a small network of AND/OR rules that a person can read, by a search over networks.

    Networks are grown and improved from the highest penalty of an edge to the lowest, and held-out rows choose the
    penalty. The paper's method, gradient descent, is `MLLPClassifier`.

    Parameters
    ----------
    effort : {"fast", "default", "best"}, default="default"
        How hard to try: down to which penalty of an edge the path goes. "fast" has no mixed rows besides.
    scoring : {"f1_macro", "accuracy", "balanced_accuracy", "neg_log_loss"}, default="f1_macro"
        What is optimised, under scikit-learn's names.
    max_edges : int, default=None
        The most edges of the network, kept exactly. None: no limit.
    max_rules : int, default=None
        The most rules of the network, kept exactly. None: no limit.
    max_rule_length : int, default=None
        The most literals of a rule, kept exactly. None: at most 12 conditions and 24 edges, since a set of categories
        counts each category.
    min_rows : int, default=None
        The least rows that every rule covers, kept exactly, as the clause of the same name of a policy. None: they grow
        with the table, as a twentieth of the square root of its rows: 1 of up to 1,600 rows, 5 of 10,000, 50 of a
        million; but no more than a tenth of the rows of the class of the rule.
    negation : bool, default=True
        Whether rules may say `not` (`not job = nurse`).
    max_bins : int, default=None
        The most parts that a column of numbers is cut into, from 2 to 255. None: 255.
    validation_fraction : float, default=None
        The share of rows held out to choose the network. None: up to 500 different rows, a fifth is held out five
        times; up to 5,000, a third three times; beyond that a fifth, twice up to
        20,000 rows and once after. With `time` it is a fifth, once. In these cases the network is learned from all rows
        in the end. Of more than 100,000 different rows, this fraction or a fifth is held out once, and not
        learned from.
    class_weight : dict or "balanced", default=None
        What a row of each class counts: {class: weight}. None: all count the same.
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
        What every network of the Pareto front has to satisfy. None: nothing.
    immutable : sequence of str, default=()
        The columns that cannot change, such as a date of birth: counterfactuals leave them as they are. The network
        remembers them.
    random_state : int or RandomState, default=None
        Where chance comes from. The same seed and data give the same network.
    n_jobs : int, default=None
        How many cores to use. None and -1 take all. The network does not depend on it, nor on the order of the rows.
    verbose : bool, default=False
        Whether to print progress where there is no terminal that could show a bar.

    Attributes
    ----------
    network_ : RuleNetwork
        The rules; print it.
    extracted_ : RuleNetwork
        The same before simplification, as the search found it.
    frontier_ : tuple of Choice
        The Pareto front: networks from the smallest on, each better on held-out rows than all smaller ones, and the
        chosen one, with their `edges`, their `score` on held-out rows and their `network`. `select` takes another.
    binarizer_ : Binarizer
        What turns the table into bits.
    relations_ : RelationSearch or None
        What `relations="auto"` tried and took, and why; print it.
    history_ : list of dict
        A line for each penalty that was tried.
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
    MLLPClassifier : The paper's method.
    fit_cohort : Many fits at once.

    Examples
    --------
    >>> from conceptrules import ConceptRuleClassifier
    >>> rows, answers = [["yes", 1], ["yes", 2], ["no", 1], ["no", 2]] * 5, ["a", "a", "b", "b"] * 5
    >>> ConceptRuleClassifier(random_state=0).fit(rows, answers).predict([["yes", 2]])
    array(['a'], dtype='<U1')
    """

    _no_rules_hint = (
        "Try more rows or other columns, or class_weight='balanced' for a rare class; clf.select(edges=...) switches "
        "to the networks with rules that frontier_ has"
    )

    def __init__(
        self,
        *,
        effort: str = "default",
        scoring: str = "f1_macro",
        max_edges: int | None = None,
        max_rules: int | None = None,
        max_rule_length: int | None = None,
        min_rows: int | None = None,
        negation: bool = True,
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
        self.max_rules = max_rules
        self.max_rule_length = max_rule_length
        self.min_rows = min_rows
        self.negation = negation
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
        policy_data: Any = None,
        checkpoint: Any = None,
        scratch: Any = None,
        client: Any = None,
    ) -> Self:
        """Learn the rules from a table.

        A table may be larger than memory: name its files, or hand over a dataset, a lazy table or a stream, and name
        the column of the target. It is read in batches, and its rows are kept on disk meanwhile, see docs/scale.md.

        Parameters
        ----------
        X : table of shape (n_samples, n_features), or files
            A table of pandas, polars or pyarrow, a 2-D array, or rows as lists or dictionaries. Or a table to be read
            in batches: a path, a pattern such as ``part-*.parquet`` or a list of paths of Parquet or CSV files, a
            pyarrow Dataset or RecordBatchReader, a polars LazyFrame, a DuckDB relation, or another Arrow stream.
            Or a dask DataFrame, whose rows stay with the workers of its cluster.
        y : array-like of shape (n_samples,), or str
            The class of each row: text, whole numbers or booleans. Or the name of the column of X that has them, which
            tables that are read in batches need.
        sample_weight : array-like of shape (n_samples,), or str, default=None
            The weight of each row, or the name of the column of X that has it, which is then not a feature. Tables
            that are read in batches need the name. Whole numbers act as repeats of the row, 0 as if it were not there.
        X_val : table, default=None
            Rows that choose the network, instead of rows held out of X. A table of the same kind as X: both in memory,
            or both read in batches.
        y_val : array-like or str, default=None
            The classes of these rows. If y is the name of a column, X_val has that column, and y_val may be left out.
        groups : array-like of shape (n_samples,), or str, default=None
            The group of each row, such as a patient or a customer with several rows, or the name of the column of X
            that has it, which is then not a feature. Tables that are read in batches need the name. Rows of one group
            are held out together, so that the chosen network does well on new groups. Without groups, copies of a row
            are held out together.
        time : array-like of shape (n_samples,), or str, default=None
            The moment of each row, as dates or numbers, or the name of the column of X that has it, which is then not
            a feature. Tables that are read in batches need the name. The newest rows are held out instead of random
            ones.
        policy_data : table, default=None
            Columns of groups that the policy wants to be treated alike, for each row, where X does not have them. Only
            for tables in memory.
        checkpoint : str or path, default=None
            A file to which the fit regularly writes what it has finished, for every kind of table. A fit that was
            killed goes on from it when it is started again with the same table, settings and `random_state`, which
            must be given, and ends with the same network. The file is removed at the end. None: nothing is written.
        scratch : str or path, default=None
            The folder for what does not fit into memory, of tables that are read in batches. What is written there is
            removed at the end. None: the usual folder for temporary files.
        client : dask.distributed.Client, default=None
            The cluster that learns from a dask DataFrame, or from Parquet files. None: the current one, for a dask
            DataFrame; files are read here.

        Returns
        -------
        ConceptRuleClassifier
            This estimator, fitted.

        Raises
        ------
        InputError
            If a parameter, the table or the classes do not fit; the message says what to do.
        """
        self.check_parameters()
        inputs = FitInputs(
            X=X, y=y, sample_weight=sample_weight, X_val=X_val, y_val=y_val, groups=groups, time=time,
            policy_data=policy_data,
        )  # fmt: skip
        settings, file = self._settings(), open_checkpoint(checkpoint, self.random_state)
        needed = partial(estimate_bytes, settings, count_threads(self.n_jobs))
        options = find_relations(inputs, self._make_options(settings, needed, file), scratch, client)
        with code_table(inputs, options, scratch, client) as coded:
            self._check_immutable([column.name for column in coded.binarizer.columns_])
            task = apply_policy(make_task(coded, options))
            with search_progress(len(choose_penalties(task)), self.verbose) as watch:
                result = search_networks(task, options.threads, watch, options.checkpoint)
            finished = finish_fit(result, coded, task, options)
        self._set_result(result, coded, finished, "network", "penalties")
        self._finalize(y, result.interrupted, _TOO_FEW_ROWS if result.too_few_rows else _NOT_BETTER)
        if file is not None and not file.keep_file:
            file.remove()
        return self

    def _settings(self) -> SearchSettings:
        """Return the settings of the search, checked."""
        return SearchSettings(
            effort=self.effort,
            scoring=self.scoring,
            max_edges=self.max_edges,
            max_rules=self.max_rules,
            max_rule_length=self.max_rule_length,
            negation=self.negation,
            usual_support=self.min_rows is None,
        )
