"""MLLPClassifier: rules read off a Multilayer Logical Perceptron, the paper's method."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, fields
from typing import Any, Self

from sklearn.base import BaseEstimator, ClassifierMixin, TransformerMixin

from conceptrules.binarize import Binarizer
from conceptrules.kernels.mllp.cohort import Cohort
from conceptrules.learn.checkpoint import Checkpoint, open_checkpoint
from conceptrules.learn.checks import check_common, count_threads, make_generator
from conceptrules.learn.memory import check_memory, estimate_training_bytes
from conceptrules.learn.mllp.device import check_device, select_engine
from conceptrules.learn.mllp.extraction import finish
from conceptrules.learn.mllp.hyperparameters import Hyperparameters, auto_layers
from conceptrules.learn.mllp.train import FitPlan, FitResult, make_plan, train
from conceptrules.learn.mllp.training_data import TrainingData, hold_out, read_training_data
from conceptrules.learn.progress import training_progress
from conceptrules.model.errors import InputError, warn
from conceptrules.rule_model import RuleModel


class MLLPClassifier(RuleModel, ClassifierMixin, TransformerMixin, BaseEstimator):
    """Learn a Concept Rule Set by the paper's method: a Multilayer Logical Perceptron under Random Binarization.

    A continuous network is trained by gradient descent while a part of its weights is rounded at random, so that the
    rules that are read off it decide as it does. Several rates of rounding are trained side by side, and held-out rows
    choose the rate and the epoch. `ConceptRuleClassifier` finds better rules on most tables. Training on a CPU needs
    Numba: pip install 'conceptrules[mllp]'.

    Parameters
    ----------
    layers : tuple of int or "auto", default="auto"
        The sizes of the middle layers, an odd number of them: rules, concepts, ..., rules. (64,) gives one level of
        rules. "auto": three layers of 32 to 256 nodes, by the number of predicates.
    binarization_rate : float, sequence of float or "auto", default="auto"
        The share of weights that is rounded during training, or several to choose from on the validation rows.
        "auto": 0.5, 0.7, 0.8 and 0.9.
    max_epochs : int, default=400
        The most epochs of training.
    patience : int, default=100
        The epochs without a better network on the validation rows after which training ends. None: never.
    batch_size : int, default=128
        The rows of a step; the value is the paper's.
    learning_rate : float, default=0.005
        The learning rate of Adam at the start; the value is the paper's.
    l2 : float, default=1e-8
        The weight decay; the value is the paper's.
    priority : {"learned", "first"}, default="learned"
        Who wins when several classes fire, and who when none does: "learned" from the training rows, or the paper's,
        "first": the first class that fires, or the first class.
    refit : bool, default=False
        Whether to train once more on all rows, with the rate that was chosen. The scores that are kept are those of
        the network before that, on the rows held out. Rows given as `X_val` stay out.
    negation : bool, default=False
        Whether rules may say `not`.
    literals : {"intervals", "thresholds"}, default="intervals"
        Which tests of numbers there are, as in `Binarizer`.
    quantiles : int, default=32
        The most thresholds of a column that are there only to split it evenly, as in `Binarizer`.
    validation_fraction : float, default=0.2
        The share of rows held out to choose the rate and the epoch.
    class_weight : dict or "balanced", default=None
        What a row of each class counts: {class: weight}. None: all count the same.
    kinds : dict, default=None
        {column: kind} where a column is not what it seems: "number", "category", "boolean", and so on; or the list of
        its categories in their order.
    max_categories : int, default=256
        How many categories of a column are kept, the most frequent ones; the others read as unseen.
    keep : sequence of str, default=()
        Columns that are learned from although they look like identifiers, or say on every row what another column says.
        Such columns are left out otherwise, with a line that says so; those of an array, which have no names, and those
        that `kinds` names are not.
    random_state : int or RandomState, default=None
        Where chance comes from. The same seed and data give the same network.
    n_jobs : int, default=None
        How many cores to use. None and -1 take all. The network does not depend on it, nor on the order of the rows.
    device : str, default="auto"
        Where to train: "cpu", "cuda" (all GPUs there are), "cuda:1" (one of them), or "auto": a GPU where there is one
        and the work is large enough for it to win. A GPU needs `pip install 'conceptrules[gpu]'`.
    verbose : bool, default=False
        Whether to print progress where there is no terminal that could show a bar.

    Attributes
    ----------
    network_ : RuleNetwork
        The rules; print it.
    extracted_ : RuleNetwork
        The same before simplification, as it was read off the weights.
    frontier_ : tuple of Choice
        The network, as a Pareto front of one.
    binarizer_ : Binarizer
        What turns the table into bits.
    history_ : list of dict
        A line for each rate and snapshot, as far as held-out rows judge it.
    classes_ : ndarray of shape (n_classes,)
        The classes, sorted.
    n_features_in_ : int
        The number of columns.
    feature_names_in_ : ndarray of shape (n_features,)
        The names of the columns, where they are text.

    See Also
    --------
    ConceptRuleClassifier : Rules found by a search, without gradient descent.
    fit_cohort : Many fits at once, which is what a GPU is worth having for.

    Examples
    --------
    >>> from conceptrules import MLLPClassifier
    >>> rows, answers = [["yes", 1], ["yes", 2], ["no", 1], ["no", 2]] * 5, ["a", "a", "b", "b"] * 5
    >>> MLLPClassifier(layers=(4,), max_epochs=50, random_state=0).fit(rows, answers).predict([["yes", 2]])
    array(['a'], dtype='<U1')
    """

    _no_rules_hint = (
        "Try more epochs (max_epochs), a higher learning_rate, other layers or rates, more rows or other columns; "
        "ConceptRuleClassifier learns without descent"
    )

    def __init__(
        self,
        *,
        layers: Any = "auto",
        binarization_rate: Any = "auto",
        max_epochs: int = 400,
        patience: int | None = 100,
        batch_size: int = 128,
        learning_rate: float = 5e-3,
        l2: float = 1e-8,
        priority: str = "learned",
        refit: bool = False,
        negation: bool = False,
        literals: str = "intervals",
        quantiles: int = 32,
        validation_fraction: float = 0.2,
        class_weight: Mapping[Any, float] | str | None = None,
        kinds: Mapping[Any, Any] | None = None,
        max_categories: int = 256,
        keep: Sequence[str] = (),
        random_state: Any = None,
        n_jobs: int | None = None,
        device: str = "auto",
        verbose: bool = False,
    ) -> None:
        self.layers = layers
        self.binarization_rate = binarization_rate
        self.max_epochs = max_epochs
        self.patience = patience
        self.batch_size = batch_size
        self.learning_rate = learning_rate
        self.l2 = l2
        self.priority = priority
        self.refit = refit
        self.negation = negation
        self.literals = literals
        self.quantiles = quantiles
        self.validation_fraction = validation_fraction
        self.class_weight = class_weight
        self.kinds = kinds
        self.max_categories = max_categories
        self.keep = keep
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.device = device
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
        checkpoint: Any = None,
    ) -> Self:
        """Learn the rules from a table.

        Parameters
        ----------
        X : table of shape (n_samples, n_features)
            A table of pandas, polars or pyarrow, a 2-D array, or rows as lists or dictionaries.
        y : array-like of shape (n_samples,)
            The class of each row: text, whole numbers or booleans.
        sample_weight : array-like of shape (n_samples,), default=None
            The weight of each row. Whole numbers act as repeats of the row, 0 as if it were not there.
        X_val : table, default=None
            Rows that choose the rate and the epoch, instead of rows held out of X.
        y_val : array-like, default=None
            The classes of these rows.
        groups : array-like of shape (n_samples,), default=None
            The group of each row, such as a patient or a customer with several rows. Rows of one group are held out
            together, so that what is chosen is good for new groups. Without groups, equal rows are held out together.
        time : array-like of shape (n_samples,), default=None
            The moment of each row: dates or numbers. The newest rows are held out instead of a choice by chance.
        checkpoint : str or path, default=None
            A file to which the fit writes where it stands, every so often. A fit that was killed goes on from it when
            it is started again with the same table, settings and `random_state`, which must be given, and ends with
            the same network. A CPU trains then. The file is removed at the end. None: nothing is written.

        Returns
        -------
        MLLPClassifier
            This estimator, fitted.

        Raises
        ------
        InputError
            If a parameter, the table or the classes do not fit; the message says what to do.
        """
        self.check_parameters()
        file = open_checkpoint(checkpoint, self.random_state)
        if file is not None and self.device not in ("auto", "cpu"):
            raise InputError(f"a checkpoint is for training on a CPU, but device is {self.device!r}; use device='cpu'")
        data = read_training_data(X, y, self._binarizer(), sample_weight, self.class_weight, groups, time)
        plan = self._plan(data, X_val, y_val)
        (result,) = _train([plan], self, file)
        self._set_result(plan, result)._finalize(y, result.interrupted)
        if file is not None and not file.keep_file:
            file.remove()
        return self

    def _plan(self, data: TrainingData, X_val: Any = None, y_val: Any = None) -> FitPlan:
        """Split the rows, and say how to train on them."""
        rng, settings = make_generator(self.random_state), self._hyperparameters(len(data.binarizer.predicates_))
        self._check_memory(data, settings)
        holdout = hold_out(data, X_val, y_val, fraction=self.validation_fraction, rng=rng)
        return make_plan(data, holdout, settings, rng)

    def _check_memory(self, data: TrainingData, settings: Hyperparameters) -> None:
        rows, predicates, classes = len(data.target), len(data.binarizer.predicates_), len(data.classes)
        inputs = predicates * (2 if settings.negation else 1)
        weights = len(settings.binarization_rate) * Cohort.count((inputs, *settings.layers, classes))
        what = f"{predicates:,} predicates and {classes:,} classes"
        needed = estimate_training_bytes(rows, inputs, weights)
        check_memory(needed, rows, what, "with fewer quantiles, columns or nodes")

    def _set_result(self, plan: FitPlan, result: FitResult) -> Self:
        choice = finish(plan, result, self.get_params())
        return self._set_fitted(plan.data, [asdict(score) for score in result.history], [choice])

    def check_parameters(self) -> None:
        """Check all parameters; `fit` does this before it reads the table.

        Raises
        ------
        InputError
            If a parameter is out of range; the message says what it can be.
        """
        check_device(self.device)
        check_common(self.n_jobs, self.validation_fraction, self.random_state)
        self._binarizer()
        self._hyperparameters(inputs=1)

    def _binarizer(self) -> Binarizer:
        binarizer = Binarizer(self.kinds, self.max_categories, self.literals, self.quantiles, keep=self.keep)
        binarizer.check()
        return binarizer

    def _hyperparameters(self, inputs: int) -> Hyperparameters:
        """Return the settings of a training run on so many predicates, checked."""
        names = {field.name for field in fields(Hyperparameters)}
        settings = {name: value for name, value in self.get_params().items() if name in names}
        if _is_auto(self.layers):
            settings["layers"] = auto_layers(inputs * (2 if self.negation is True else 1))
        if _is_auto(self.binarization_rate):
            del settings["binarization_rate"]
        return Hyperparameters(**settings)


def fit_together(classifiers: Sequence[MLLPClassifier], tables: Sequence[tuple[Any, Any]]) -> None:
    """Fit classifiers at once, each to a table and its classes, as if each were fitted alone.

    The first classifier says where to train, on how many cores, and whether to print progress. A table is read once for
    all classifiers that read it alike.
    """
    for classifier in classifiers:
        classifier.check_parameters()
    read: dict[Any, TrainingData] = {}
    plans = []
    for classifier, (X, y) in zip(classifiers, tables, strict=True):
        binarizer = classifier._binarizer()
        key = id(X), repr(binarizer.get_params()), repr(classifier.class_weight)
        if key not in read:
            read[key] = read_training_data(X, y, binarizer, None, classifier.class_weight)
        plans.append(classifier._plan(read[key]))
    results = _train(plans, classifiers[0]) if plans else []
    for classifier, plan, result in zip(classifiers, plans, results, strict=True):
        classifier._set_result(plan, result)
    for classifier, (_, y), result in zip(classifiers, tables, results, strict=True):
        classifier._finalize(y, result.interrupted)


def _train(plans: Sequence[FitPlan], first: MLLPClassifier, checkpoint: Checkpoint | None = None) -> list[FitResult]:
    jobs = [plan.job for plan in plans]
    with training_progress([job.hyperparameters.max_epochs for job in jobs], first.verbose) as watch:
        results = train(jobs, select_engine(first.device, jobs, count_threads(first.n_jobs), checkpoint), watch)
    if any(result.interrupted for result in results):
        epochs = sorted({result.best.score.epoch for result in results})
        warn(f"training was interrupted; the best network so far is kept (epoch {', '.join(map(str, epochs))})")
    return results


def _is_auto(value: Any) -> bool:
    return isinstance(value, str) and value == "auto"
