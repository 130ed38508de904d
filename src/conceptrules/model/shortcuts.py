"""The methods of a network whose code lives in other rooms.

These are all the imports that go against the direction of the rooms: each waits until its method is called. The methods
are what users call, so they have the documentation; the functions behind them have a line.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast
from typing import Literal as Choice

from conceptrules.model.errors import InputError
from conceptrules.model.predicate import Value
from conceptrules.model.reason_codes import read_reason_codes

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from conceptrules.draw.appearance import Theme
    from conceptrules.draw.svg import Svg
    from conceptrules.edit.editing import Edited
    from conceptrules.edit.operations import Operation
    from conceptrules.explain.contributions import Contributions
    from conceptrules.explain.explanation import Explanation, FiredRule
    from conceptrules.explain.number_scores import NumberEvaluation
    from conceptrules.explain.reasons import Reasons
    from conceptrules.explain.score_explanation import ScoreExplanation
    from conceptrules.explain.scores import Evaluation
    from conceptrules.logic.policies.proof import Proof
    from conceptrules.model.network import RuleNetwork
    from conceptrules.model.policy import Policy
    from conceptrules.monitor.monitoring import Monitoring
    from conceptrules.tables.prediction import Abstain


class ShownAsHtml:
    """What a notebook shows as HTML."""

    __slots__ = ()

    def _repr_html_(self) -> str:
        from conceptrules.draw.views import show_html

        return show_html(self)


class Shortcuts(ShownAsHtml):
    """The methods of `RuleNetwork` that predict, explain, prove, edit, export and draw."""

    __slots__ = ()

    @property
    def _network(self) -> RuleNetwork:
        return cast("RuleNetwork", self)

    def predict(self, table: Any, *, abstain: Abstain | None = None) -> NDArray[Any]:
        """Return the class of each row of a table.

        Parameters
        ----------
        table : table
            A pandas, polars or pyarrow table, a 2-D array, or rows as lists or dictionaries.
        abstain : {"none", "several", "both"}, optional
            On which rows to answer None instead of a class: where no class fires, where several do, or both.

        Returns
        -------
        numpy.ndarray of shape (rows,)
            The classes.

        Raises
        ------
        InputError
            If a column is missing from the table.
        ColumnTypeError
            If a column cannot be read as it was in training.
        """
        from conceptrules.tables.prediction import predict

        return predict(self._network, table, abstain)

    def predict_proba(self, table: Any) -> NDArray[np.float64]:
        """Return the probability of each class for each row of a table.

        Parameters
        ----------
        table : table
            A pandas, polars or pyarrow table, a 2-D array, or rows as lists or dictionaries.

        Returns
        -------
        numpy.ndarray of shape (rows, classes)
            The probabilities, in the order of `classes`. The class that `predict` answers has the largest one.

        Raises
        ------
        InputError
            If the network has no statistics, or a column is missing from the table.
        """
        from conceptrules.tables.prediction import predict_proba

        return predict_proba(self._network, table)

    def scores(self, table: Any) -> NDArray[np.int64]:
        """Return the score of each row: the base of a scorecard, plus the points of the rules that hold.

        Parameters
        ----------
        table : table
            A pandas, polars or pyarrow table, a 2-D array, or rows as lists or dictionaries.

        Returns
        -------
        numpy.ndarray of shape (rows,), or (rows, classes) for more than two classes
            The scores. Of two classes, they are those of the second one.

        Raises
        ------
        InputError
            If the network is no scorecard, or a column is missing from the table.
        """
        from conceptrules.tables.prediction import find_scores

        scores = find_scores(self._network, table)
        return scores[:, 0] if scores.shape[1] == 1 else scores

    def contributions(self, table: Any, *, by: Choice["rule", "column"] = "column") -> Contributions:
        """Return what each column, or each rule, of a scorecard adds to the score of each row: exactly.

        The points of a rule that asks about several columns are shared evenly among them: so are its Shapley values,
        measured against a row on which none of its conditions holds. With the base they add up to the score.

        Parameters
        ----------
        table : table
            A pandas, polars or pyarrow table, a 2-D array, or rows as lists or dictionaries.
        by : {"column", "rule"}, default="column"
            Whether columns or rules have the points.

        Returns
        -------
        Contributions
            An array `values` of the shape (rows, columns or rules), with the classes as a third axis if there are
            several scores, and `base`; `to_shap()` gives them as SHAP has them.

        Raises
        ------
        InputError
            If the network is no scorecard, or a column is missing from the table.
        """
        from conceptrules.explain.contributions import compute_contributions

        return compute_contributions(self._network, table, by)

    def reasons(self, table: Any, n: int = 4, *, to: Any = None, against: Any = "best") -> Reasons:
        """Return the reasons for the answer of each row, the weightiest first.

        Of a scorecard, they are the columns that cost the row most points: if only this column said what is best, the
        row would have so many points more. Of a network that decides by rules, they are the columns that stand between
        the row and another answer, with the rule that decided and the nearest that would have decided otherwise.

        Parameters
        ----------
        table : table
            A pandas, polars or pyarrow table, a 2-D array, or rows as lists or dictionaries.
        n : int, default=4
            The most reasons of a row.
        to : class label, or "high" or "low", optional
            The class that points are lost for; by default any other class than the answer, the one that is nearest. Of
            a number, whether it could be higher (the default) or lower.
        against : "best" or table, default="best"
            Scorecards: what each column is compared with: the best that it can say, or what it says in most of these
            rows, such as those of training, or in a row of yours.

        Returns
        -------
        Reasons
            `reasons[row]` has the reasons of a row; `to_list()` gives texts, `to_frame()` a table.

        Raises
        ------
        InputError
            If a parameter does not fit, or a column is missing from the table.
        """
        from conceptrules.explain.reasons import find_reasons

        return find_reasons(self._network, table, n, to=to, against=against)

    def with_reason_codes(self, codes: Mapping[str, Any]) -> RuleNetwork:
        """Return the network with a table of what people call its columns where they are reasons.

        Parameters
        ----------
        codes : dict
            The code and the text of columns: ``{"debt": ("R01", "Debt against income")}``. What a column says can have
            codes of its own: ``{"debt": {"high": (...), "low": (...), "missing": (...)}}``, where a value is high if
            less of it would have been better; categories by their names, and ``""`` for all the rest. Without an entry,
            a column goes by its name, and what it says by its condition.

        Returns
        -------
        RuleNetwork
            The same rules with this table, which the model file keeps, instead of the one that it had.

        Raises
        ------
        InputError
            If the network has no such column or category, or an entry is not a code and a text.
        """
        return replace(self._network, reason_codes=read_reason_codes(codes))

    def fired(self, table: Any) -> list[tuple[FiredRule, ...]]:
        """Return the rules that hold on each row of a table.

        Parameters
        ----------
        table : table
            A pandas, polars or pyarrow table, a 2-D array, or rows as lists or dictionaries.

        Returns
        -------
        list of tuple of FiredRule
            For each row, the rules of the classes that hold, by priority: those of the answered class come first. A row
            without any gets the default class. Of a scorecard, the rules that hold, those with most points first.
        """
        from conceptrules.explain.explanation import fired_rules

        return fired_rules(self._network, table)

    def measure(self, table: Any, labels: Iterable[object]) -> RuleNetwork:
        """Return the network with statistics of these rows, instead of those that it has.

        Parameters
        ----------
        table : table
            A pandas, polars or pyarrow table, a 2-D array, or rows as lists or dictionaries.
        labels : iterable of class labels
            The class of each row, or its number. Classes are compared as they are written: 1.0 is 1. Rows of classes
            that the network does not know are left out.

        Returns
        -------
        RuleNetwork
            The same rules, with what they cover and decide on these rows.
        """
        from conceptrules.explain.measurement import measure

        return measure(self._network, table, labels)

    def evaluate(
        self, table: Any, labels: Iterable[object], *, positive: Value | None = None
    ) -> Evaluation | NumberEvaluation | Any:
        """Return the scores of the network on rows whose classes, or numbers, are known.

        Parameters
        ----------
        table : table
            A pandas, polars or pyarrow table, a 2-D array, or rows as lists or dictionaries.
        labels : iterable of class labels
            The class of each row, or its number. Classes are compared as they are written: 1.0 is 1.
        positive : class label, optional
            For two classes, the one that Gini, KS and cut-offs are about; by default the second, as in scikit-learn.

        Returns
        -------
        Evaluation or NumberEvaluation
            Accuracy, AUC, log loss, precision and recall of each class, calibration and cut-offs; of a network that
            predicts a number R2, the errors, and those of always answering the mean.
        """
        if not self._network.classes:
            from conceptrules.explain.number_scores import evaluate_numbers

            return evaluate_numbers(self._network, table, labels)
        from conceptrules.explain.scores import evaluate

        return evaluate(self._network, table, labels, positive=positive)

    def predict_interval(self, table: Any, coverage: float = 0.9) -> NDArray[np.float64]:
        """Return an interval for the number of each row, from the errors on rows that were held out while learning.

        Parameters
        ----------
        table : table
            A pandas, polars or pyarrow table, a 2-D array, or rows as lists or dictionaries.
        coverage : float, default=0.9
            The share of rows whose number is to be in its interval.

        Returns
        -------
        ndarray of shape (n_rows, 2)
            The lower and the upper end.

        Raises
        ------
        InputError
            If the network predicts a class, or knows no errors on held-out rows: edits of rules drop them.
        """
        from conceptrules.explain.number_scores import predict_interval

        return predict_interval(self._network, table, coverage)

    def to_frame(self, backend: str | None = None) -> Any:
        """Return the rules as a table with a row for each rule.

        Parameters
        ----------
        backend : {"pandas", "polars", "pyarrow"}, optional
            What the table is made with; by default the first of these that is installed.

        Returns
        -------
        table
            The columns are `for` (the class or concept), `rule`, `text`, `level`, `size`, `covers`, `precision`,
            `precision_low` and `precision_high` (its 95 % Wilson interval), `decides`, `decided_precision`,
            `decided_precision_low`, `decided_precision_high` and `stability`.
        """
        from conceptrules.explain.rule_coverage import rule_frame

        return rule_frame(self._network, backend)

    def explain(
        self,
        row: Any,
        *,
        fixed: Iterable[str] = (),
        to: Value | None = None,
        rule: str | None = None,
        count: int = 1,
        limit: int = 1_000_000,
        seconds: float | None = None,
    ) -> Explanation | ScoreExplanation | Any:
        """Explain why a row gets its class, and what would change it; of several rows, return a table that says it.

        Parameters
        ----------
        row : row
            A dictionary, a list of values, a row of a pandas table, or a table, with one row or with several.
        fixed : iterable of str, default=()
            The columns that the counterfactual leaves as they are, besides those that the estimator was told are
            `immutable`.
        to : class label or str, optional
            The class that the counterfactual is to give; by default, any other class will do. Of a number, what it is
            to be, such as ``">= 300"``; without it, no counterfactual is looked for.
        rule : str, optional
            The number of a rule, such as "R1.3": the explanation also says whether it holds on the row, and what it
            lacks.
        count : int, default=1
            How many counterfactuals to look for: each further one does without some column that an earlier one changes.
        limit : int, default=1_000_000
            The most states that the search for the counterfactual looks at.
        seconds : float, optional
            The longest time to search; by default there is no limit.

        Returns
        -------
        Explanation, ScoreExplanation or table
            The rules that fired, the other classes that did, the nearest miss and the counterfactual; of a scorecard,
            the points that add up to the score. Of several rows, a table like the one that was given: `answer`, its
            `probability`, the numbers of the `rules` of the class that hold, `because` with their words, and
            `counterfactual`; of a scorecard without the rules, and with a counterfactual only if `to` is given.

        Raises
        ------
        InputError
            If `fixed` names an unknown column, or `to` is no other answer of the network.
        """
        from conceptrules.explain.explanation import explain

        return explain(self._network, row, fixed=fixed, to=to, rule=rule, count=count, limit=limit, seconds=seconds)

    def prove(
        self, policy: Policy, *, data: Any = None, labels: Iterable[object] | None = None, work: int = 1_000_000
    ) -> Proof:
        """Decide for each clause of a policy whether the network satisfies it: on all possible rows, not on a sample.

        Parameters
        ----------
        policy : Policy
            What the network is to satisfy.
        data : table, optional
            Rows. Clauses about rows (least rows and precision, fairness) are checked on them, and counterexamples to
            the others are looked for among them and near them.
        labels : iterable of class labels, optional
            The class of each row of `data`.
        work : int, default=1_000_000
            How many literals the proof of one clause may look at; a clause that needs more is undecided.

        Returns
        -------
        Proof
            One verdict for each clause: proved, refuted with a counterexample, or undecided within the work allowed.

        Raises
        ------
        InputError
            If the policy names columns or classes that the network does not have, or contradicts itself.
        """
        from conceptrules.logic.policies.proof import prove

        return prove(self._network, policy, data=data, labels=labels, work=work)

    def scaled(
        self, *, pdo: float = 20, score: int = 600, odds: float = 50, label: Value | None = None,
        nonnegative: bool = False,
    ) -> RuleNetwork:  # fmt: skip
        """Return a scorecard of two classes on the scale that people expect; it decides as before.

        All points are multiplied by one whole number, so that the order of all rows, every decision and the probability
        of every row stay just as they are. The points that double the odds are therefore the nearest to `pdo` that
        there can be, and a warning names them where they are more than a twentieth off.

        Parameters
        ----------
        pdo : float, default=20
            The points that double the odds.
        score : int, default=600
            The score at which the odds are known, to the nearest whole number.
        odds : float, default=50
            These odds, to 1.
        label : class label, optional
            The class that the odds are of, and that larger scores speak for; by default the second class. With the
            first one, the classes change places, and probabilities may differ in the last bit.
        nonnegative : bool, default=False
            Whether rules that take points away are told by where they do not hold, so that all points are at least 0.
            A rule of several conditions becomes as many rules.

        Returns
        -------
        RuleNetwork
            The card. `edit` with `conceptrules.edit.Scale` puts the same on the trail.

        Raises
        ------
        InputError
            If the network is no scorecard of two classes, its probabilities do not rise with the score, or it has a
            trail of edits, which this would break.
        """
        from conceptrules.edit.scaling import scale_card

        if self._network.trail:
            raise InputError("the card has a trail of edits; edit it with conceptrules.edit.Scale, which is put on it")
        return scale_card(self._network, pdo, score, odds, label, nonnegative)

    def edit(
        self,
        operation: Operation,
        *,
        who: str,
        why: str,
        data: Any = None,
        labels: Iterable[object] | None = None,
        recalibrate: bool = False,
    ) -> Edited:
        """Return an edited network and what the edit does, with an entry on its trail.

        Parameters
        ----------
        operation : Operation
            What to do, such as `conceptrules.edit.DropRule("age > 41", "old")`.
        who, why : str
            Who makes the edit, and the reason; the trail keeps both.
        data : table, optional
            Rows to compare the classes of before and after on; the trail keeps counts of them, and no row.
        labels : iterable of class labels, optional
            The class of each row of `data`; the statistics of the network are counted on them again.
        recalibrate : bool, default=False
            Whether the probabilities of a scorecard of two classes are fitted anew to these rows.

        Returns
        -------
        Edited
            The edited network, the effect, and the proof of its policy.

        Raises
        ------
        InputError
            If the edit cannot be made: the message names the nearest rule, column or class.
        """
        from conceptrules.edit.editing import edit

        return edit(self._network, operation, who=who, why=why, data=data, labels=labels, recalibrate=recalibrate)

    def sign(self, *, name: str, role: str, motive: str) -> RuleNetwork:
        """Return the network with a signature on its trail: somebody stands for the network as it is now.

        An edit makes signatures void, since they are of what was there before, even if it is taken back. A clause
        `signatures` of the policy says how many people have to sign. A signature is a statement, not
        cryptography: the hash chain of the trail shows a change of one entry, but whoever writes the file can write
        the whole chain anew.

        Parameters
        ----------
        name : str
            Who signs.
        role : str
            As what: "validator", "owner of the model".
        motive : str
            Why, and perhaps under which conditions.

        Returns
        -------
        RuleNetwork
            The signed network.

        Raises
        ------
        InputError
            If a part is empty, the same person has signed already, or the trail was tampered with.
        """
        from conceptrules.edit.editing import sign

        return sign(self._network, name=name, role=role, motive=motive)

    def dossier(
        self,
        X: Any,
        y: Any,
        folder: str | os.PathLike[str],
        *,
        owner: str | os.PathLike[str] = "",
        by: Sequence[str] = (),
    ) -> tuple[str, ...]:
        """Write the file for the auditor: a folder that appears whole or not at all.

        It has the dossier as HTML and as Markdown, the model, the certificate of its policy, the checker of
        certificates, the answers of the owner, and SHA-256 sums of all of these. No row of the table is in it.

        Parameters
        ----------
        X : table
            Rows that the network was not learned from.
        y : array-like
            The true class, or the true number, of each row.
        folder : str or os.PathLike
            The folder, which is made. One that holds an earlier dossier is replaced; the owner's answers in it stay.
        owner : str or os.PathLike, optional
            A TOML file with the answers of the owner. By default the one in the folder; where there is none, one with
            all questions is written there, to be filled in.
        by : sequence of str, default=()
            Columns whose groups are scored one by one.

        Returns
        -------
        tuple of str
            The questions that are still open.

        Raises
        ------
        InputError
            If the folder holds anything else, the answers cannot be read, or these rows cannot test the network.
        """
        from conceptrules.report.dossier_folder import write_dossier

        return write_dossier(self._network, X, y, folder, owner=owner, by=by)

    def monitor(
        self,
        table: Any,
        labels: Any = None,
        *,
        reference: Any = None,
        groups: Any = None,
        time: Any = None,
        every: Choice["day", "week", "month", "year"] = "month",
        policy: Policy | None = None,
    ) -> Monitoring:
        """Compare new rows with training: how often rules hold, how scores and columns moved, what is still right.

        Parameters
        ----------
        table : table
            The new rows: what `predict` takes, or a dask DataFrame.
        labels : sequence or str, optional
            The class or the number of each row, or the name of their column.
        reference : table, or (table, labels), optional
            Rows to compare with, instead of what the network keeps of training.
        groups : sequence or str, optional
            What each row belongs to, or the name of that column: each group is looked at by itself, too.
        time : sequence or str, optional
            When each row is from, or the name of that column: each period is looked at by itself, too.
        every : {"day", "week", "month", "year"}, default="month"
            How long the periods of dates are; numbers and text are periods as they are.
        policy : Policy, optional
            The policy whose triggers are judged; by default that of the network.

        Returns
        -------
        Monitoring
            The value; `print` shows it, `html` makes a page of it.

        Raises
        ------
        InputError
            If there are no rows, a column is missing, or a row has no label, no known class or no time.
        """
        from conceptrules.monitor.watching import monitor

        return monitor(
            self._network, table, labels, reference=reference, groups=groups, time=time, every=every, policy=policy
        )

    def export(self, to: str, *, verify: bool = False, data: Any = None, **options: Any) -> Any:
        """Write the network in another language.

        Parameters
        ----------
        to : str
            The format: "sql", "dbt", "python", "javascript", "c", "onnx", "pmml", "dmn", "jdm", "xlsx", "markdown"
            or "latex".
        verify : bool, default=False
            Whether to run the export in its real engine, on rows that cover the network.
        data : table, optional
            Further rows to verify it on.
        **options
            Options of the format; docs/exports.md lists them.

        Returns
        -------
        str or bytes
            The export.

        Raises
        ------
        ConceptRulesError
            If the format is unknown, or a class or a fired rule of the export differs from the network's.
        """
        from conceptrules.export import export

        return export(self._network, to, verify=verify, data=data, **options)

    def draw(self, rule_set: Value | None = None, *, theme: Theme = "auto", fold: int | None = 240) -> Svg:
        """Draw the network, or the rules of one class or concept; a scorecard is drawn as a card with bars.

        Parameters
        ----------
        rule_set : class label or str, optional
            A class, or a concept such as "C1.2", whose rules are drawn as a stack; by default the whole network. Of a
            scorecard, the class whose points are drawn alone.
        theme : {"auto", "light", "dark"}, default="auto"
            The colours; "auto" follows the reader's setting.
        fold : int or None, default=240
            Of a network with more edges than this, what covers least is folded, and in a scorecard what has fewest
            points; None folds nothing.

        Returns
        -------
        Svg
            The picture. A notebook shows it, `.save("network.svg")` writes it (also as .png and .pdf).

        Raises
        ------
        InputError
            If there is no such class or concept.
        """
        from conceptrules.draw.views import draw

        return draw(self._network, rule_set, theme=theme, fold=fold)
