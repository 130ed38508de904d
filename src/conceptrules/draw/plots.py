"""Plots with matplotlib, of the extra `plot`: `from conceptrules import plots`.

Each function takes a small summary value and returns a `matplotlib.figure.Figure`. No window opens, and no global state
of matplotlib changes; `figure.savefig("plot.png")` writes a file, and a notebook shows the figure, after the cell where
it is not the cell's value. Without matplotlib, each of them raises an `InputError`.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from functools import cache, partial
from io import BytesIO
from typing import TYPE_CHECKING, Any, Literal

from conceptrules.draw.appearance import LIGHT, QUIET, shorten
from conceptrules.explain.importance_scores import Importance
from conceptrules.explain.number_scores import NumberEvaluation
from conceptrules.explain.rule_coverage import RuleCoverage
from conceptrules.explain.scores import Evaluation
from conceptrules.model.errors import InputError
from conceptrules.model.metrics import SCORE_NAMES, read_score
from conceptrules.model.pareto import Choice, Point
from conceptrules.model.pareto import pareto_front as non_dominated
from conceptrules.model.precision import interval_text, wilson_interval
from conceptrules.model.provenance import Training
from conceptrules.model.text import percent, word

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = [
    "confusion",
    "coverage",
    "gains",
    "history",
    "importance",
    "lift",
    "pareto_front",
    "predicted",
    "reliability",
    "residuals",
    "roc",
    "scores",
]

_MOST = 20  # bars of a plot; what is left is counted
_WORDS = 56
_MOST_BARS = 60  # of the distribution of scores
_TICKS = 4  # of an axis with edge penalties: they are long numbers
_SHARES = (-0.01, 1.01)  # the ends of an axis from 0 to 1, with room for the line
_GUIDE: dict[str, Any] = {"color": QUIET["light"], "linewidth": 0.8, "linestyle": "--"}


def history(scores: Sequence[Mapping[str, Any]], *, training: Training | None = None) -> Figure:
    """Plot how the networks of a fit came about.

    For the search: the score and the edges of each network of the regularization path, over the edge penalty. For the
    paper's method: loss, macro-F1 of the continuous network and of its rules, and edges over the epochs, with a line
    for each binarization rate.

    Parameters
    ----------
    scores : sequence of mappings
        The history of a fitted estimator, `clf.history_`.
    training : Training, optional
        `clf.network_.training`; with it, the edge penalty or the epoch that was chosen is marked.

    Returns
    -------
    matplotlib.figure.Figure
        A figure with a panel for each score.

    Raises
    ------
    InputError
        If the history is empty.

    Examples
    --------
    >>> line = {"rate": 0.5, "loss": 0.4, "mllp_f1": 0.9, "crs_f1": 0.8, "edges": 12}
    >>> figure = history([{**line, "epoch": epoch} for epoch in (5, 10)])
    >>> [axes.get_title() for axes in figure.axes]
    ['loss', 'macro-F1 on the validation rows', 'edges before simplification']
    """
    if not scores:
        raise InputError("the history is empty; there is nothing to plot")
    if "penalty" in scores[0]:
        return _regularization_path(scores, training)
    figure = _figure(10.5, 3.4)
    titles = ("loss", "macro-F1 on the validation rows", "edges before simplification")
    panels = _panels(figure, titles, "epoch")
    for number, rate in enumerate(sorted({line["rate"] for line in scores})):
        lines = [line for line in scores if line["rate"] == rate]
        colour = LIGHT[number % len(LIGHT)]
        _curve(panels[0], lines, "epoch", "loss", color=colour, label=f"{rate:g}")
        _curve(panels[1], lines, "epoch", "mllp_f1", color=colour, linestyle=":")
        _curve(panels[1], lines, "epoch", "crs_f1", color=colour)
        _curve(panels[2], lines, "epoch", "edges", color=colour)
    panels[0].legend(title="rate", frameon=False, fontsize="small")
    panels[1].plot([], [], color=QUIET["light"], linestyle=":", label="continuous network")
    panels[1].plot([], [], color=QUIET["light"], label="rules")
    panels[1].legend(frameon=False, fontsize="small")
    _mark_chosen(panels, training.epoch if training else None)
    return figure


def _regularization_path(scores: Sequence[Mapping[str, Any]], training: Training | None) -> Figure:
    """Plot the networks of the path as lines, and those that more rows improved as dots."""
    figure = _figure(8, 3.4)
    panels = _panels(figure, (_score_name(training), "edges"), "edge penalty, in rows")
    _show_losses(panels[0], training)
    path = [line for line in scores if not line.get("refined")]
    refined = [line for line in scores if line.get("refined")]
    curves = (
        (panels[0], "training_score", "training rows", ":"),
        (panels[0], "score", "held-out rows", "-"),
        (panels[1], "edges", "", "-"),
    )
    for axes, name, label, style in curves:
        _curve(axes, path, "penalty", name, color=LIGHT[0], label=label, linestyle=style)
        if refined:
            name_of_dots = "" if label else "improved on more rows"
            _curve(axes, refined, "penalty", name, color=LIGHT[1], label=name_of_dots, marker="o", linestyle="")
    panels[0].legend(frameon=False, fontsize="small")
    if refined:
        panels[1].legend(frameon=False, fontsize="small")
    penalties = [line["penalty"] for line in scores]
    low, high = min(penalties), max(penalties)
    # Few ticks from the largest penalty to the smallest, so that none overlap.
    ticks = sorted({float(f"{low * (high / low) ** (step / (_TICKS - 1)):.2g}") for step in range(_TICKS)})
    for axes in panels:
        axes.set_xscale("log")
        axes.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
        axes.minorticks_off()
        axes.invert_xaxis()
    _mark_chosen(panels, training.edge_penalty if training else None)
    return figure


def _panels(figure: Figure, titles: Sequence[str], label: str) -> Sequence[Axes]:
    """Return panels next to each other, over the same quantity."""
    panels: Sequence[Axes] = figure.subplots(1, len(titles))
    for axes, title in zip(panels, titles, strict=True):
        axes.set_title(title, fontsize="medium")
        axes.set_xlabel(label)
        axes.grid(alpha=0.25)
    return panels


def _mark_chosen(panels: Sequence[Axes], chosen: float | None) -> None:
    if chosen is not None:
        for axes in panels:
            axes.axvline(chosen, **_GUIDE)


def _curve(axes: Axes, lines: Sequence[Mapping[str, Any]], over: str, name: str, **style: Any) -> None:
    axes.plot([line[over] for line in lines], [line[name] for line in lines], linewidth=1.4, **style)


def importance(value: Importance) -> Figure:
    """Plot how many decisions change without a column, and without a rule; the most important come first.

    Parameters
    ----------
    value : Importance
        What `conceptrules.importance(network, X)` returns.

    Returns
    -------
    matplotlib.figure.Figure
        A figure with bars for columns and for rules.

    Examples
    --------
    >>> from conceptrules.explain import Importance
    >>> len(importance(Importance(rows=0, columns=(), concepts=(), rules=())).axes)
    2
    """
    panels = (("columns", value.columns), ("rules", value.rules))
    ranked = [sorted((w for w in weights if w.changed), key=lambda w: -w.changed) for _, weights in panels]
    shown = [weights[:_MOST] for weights in ranked]
    sizes = [max(2, len(weights)) for weights in shown]
    figure = _figure(9, 2 + 0.28 * sum(sizes))
    drawn = figure.subplots(2, 1, sharex=True, height_ratios=sizes)
    for number, (title, weights) in enumerate(panels):
        axes, top = drawn[number], shown[number]
        axes.barh(range(len(top)), [weight.changed for weight in top], color=LIGHT[number])
        for y, weight in enumerate(top):
            axes.annotate(f" {weight.changed:,}", (weight.changed, y), va="center", fontsize="small")
        _names(axes, [weight.name for weight in top])
        more, idle = len(ranked[number]) - len(top), len(weights) - len(ranked[number])
        parts = [f"{more} more"] * bool(more) + [f"{idle} that change nothing"] * bool(idle)
        axes.set_title(title + (f" (and {', '.join(parts)})" if parts else ""), fontsize="medium")
        axes.set_ylim(sizes[number] - 0.5, -0.5)
    drawn[1].set_xlabel(f"decisions that change without it, of {value.rows:,}")
    drawn[1].set_xlim(0, 1.1 * max([1, *(weight.changed for weights in shown for weight in weights)]))
    return figure


def coverage(rules: Sequence[RuleCoverage]) -> Figure:
    """Plot the training rows that each rule covers, right and wrong, with the share that is right.

    Parameters
    ----------
    rules : sequence of RuleCoverage
        What `conceptrules.coverage(network)` returns.

    Returns
    -------
    matplotlib.figure.Figure
        A figure with a bar for each rule.

    Examples
    --------
    >>> coverage([]).axes[0].get_xlabel()
    'training rows'
    """
    shown = rules[:_MOST] if len(rules) <= _MOST else sorted(rules, key=lambda rule: -rule.rows)[:_MOST]
    figure = _figure(9, 1.2 + 0.28 * max(2, len(shown)))
    axes = figure.subplots()
    numbers = all(rule.right is None for rule in shown)  # where one is predicted, no row is right or wrong
    right = [rule.rows if rule.right is None else rule.right for rule in shown]
    axes.barh(range(len(shown)), right, color=LIGHT[0], label="" if numbers else "of its class")
    if not numbers:
        wrong = [rule.rows - part for rule, part in zip(shown, right, strict=True)]
        axes.barh(range(len(shown)), wrong, left=right, color=LIGHT[1], hatch="///", label="of another")
    for y, rule in enumerate(shown):
        share = f"{rule.rows:,.0f}" if rule.right is None else "no rows"
        if rule.precision is not None:
            share = f"{percent(rule.precision)} {interval_text(rule.interval)}"
        axes.annotate(f" {share}", (rule.rows, y), va="center", fontsize="small", color=QUIET["light"])
    _names(axes, [f"{word(rule.label)}: {rule.text}" for rule in shown])
    more = f" (and {len(rules) - len(shown)} more)" if len(rules) > len(shown) else ""
    axes.set_title(f"rules: rows covered{'' if numbers else ' and share that is right'}{more}", fontsize="medium")
    axes.set_xlabel("training rows")
    axes.margins(x=0.2)
    if not numbers:
        figure.legend(frameon=False, fontsize="small", loc="outside lower right", ncols=2)
    return figure


def confusion(matrix: Any, classes: Sequence[object]) -> Figure:
    """Plot a confusion matrix; the colour of a cell is its share of the true class.

    Parameters
    ----------
    matrix : array-like of shape (n_classes, n_classes)
        Counts of rows by true class (rows) and answer (columns), as `sklearn.metrics.confusion_matrix` returns them.
    classes : sequence
        The labels of the classes, in the order of the matrix.

    Returns
    -------
    matplotlib.figure.Figure
        A figure with a cell for each true class and answer.

    Raises
    ------
    InputError
        If the matrix does not have a row and a column for each class.

    Examples
    --------
    >>> figure = confusion([[9, 1], [0, 5]], ["no", "yes"])
    >>> figure.axes[0].get_xlabel()
    'answer'
    """
    counts = [[float(count) for count in row] for row in matrix]
    if len(counts) != len(classes) or any(len(row) != len(classes) for row in counts):
        raise InputError(f"the matrix must have a row and a column for each of the {len(classes)} classes")
    size = min(12.0, 3 + 0.5 * len(classes))
    letters = max(6.0, 10.0 - 0.15 * len(classes))
    figure = _figure(size + 1, size, "compressed")  # the cells are squares
    axes = figure.subplots()
    shares = [[count / (sum(row) or 1) for count in row] for row in counts]
    image = axes.imshow(shares, cmap="Blues", vmin=0, vmax=1)
    for i, row in enumerate(counts):
        for j, count in enumerate(row):
            if count:
                ink = "white" if shares[i][j] > 0.5 else "black"
                axes.text(j, i, f"{count:g}", ha="center", va="center", fontsize=letters, color=ink)
    names = [_drawable(shorten(word(label), 20)) for label in classes]
    style: dict[str, Any] = {"parse_math": False, "fontsize": letters + 1}
    axes.set_yticks(range(len(classes)), names, **style)
    turned: dict[str, Any] = {"rotation": 45, "ha": "right"} if max(map(len, names), default=0) > 4 else {}
    axes.set_xticks(range(len(classes)), names, **style, **turned)
    axes.set(xlabel="answer", ylabel="true class")
    figure.colorbar(image, ax=axes, fraction=0.046, label="share of the true class")
    return figure


def pareto_front(networks: Sequence[Point] | Sequence[Choice], *, score: str | None = None) -> Figure:
    """Plot score against edges; the line joins the Pareto front: the networks that no other one beats in both.

    Parameters
    ----------
    networks : sequence of Choice or Point
        The networks, such as those of a fitted estimator: `clf.frontier_`.
    score : str, optional
        The name of the score, for the axis. By default it is what the networks were fitted for, as they record it.

    Returns
    -------
    matplotlib.figure.Figure
        A figure with a dot for each network.

    Raises
    ------
    InputError
        If there is no network.

    Examples
    --------
    >>> from conceptrules.model.pareto import Point
    >>> figure = pareto_front([Point(9, 0.8), Point(30, 0.9)], score="accuracy")
    >>> figure.axes[0].get_ylabel()
    'accuracy'
    """
    if not networks:
        raise InputError("there is no network to plot; a Pareto front needs at least one")
    first = networks[0]
    figure, axes = _panel(6.5, 4)
    axes.scatter([p.edges for p in networks], [p.score for p in networks], s=22, color=QUIET["light"], alpha=0.6)
    best: Sequence[Point | Choice] = non_dominated([*networks])
    axes.step([p.edges for p in best], [p.score for p in best], where="post", color=LIGHT[0], marker="o", markersize=5)
    for point in best:
        if point.name:
            name = _drawable(shorten(point.name, 30))
            axes.annotate(name, (point.edges, point.score), xytext=(5, -11), textcoords="offset points",
                          fontsize="small", parse_math=False)  # fmt: skip
    if max(p.edges for p in networks) > 500:
        axes.set_xscale("symlog")
        axes.xaxis.set_major_formatter("{x:g}")
    else:
        axes.locator_params(axis="x", integer=True)  # no network has half an edge
    training = None if score or not isinstance(first, Choice) else first.network.training
    axes.set(xlabel="edges", ylabel=score or _score_name(training))
    _show_losses(axes, training)
    return figure


def roc(value: Evaluation) -> Figure:
    """Plot the ROC curve: recall over false alarms, for each cut-off between two classes.

    Parameters
    ----------
    value : Evaluation
        What `network.evaluate(X, y)` returns, for two classes.

    Returns
    -------
    matplotlib.figure.Figure
        A figure with the curve; a dot marks the cut-off with the largest difference of the two (KS).

    Raises
    ------
    InputError
        If there are no cut-offs: of more than two classes, or of rows of one class.

    Examples
    --------
    >>> from conceptrules.model import Column, Interval, Level, Literal, Points, Rule, RuleNetwork
    >>> level = Level([Rule([Literal(0)])], ())
    >>> head = Points([[5]], [0], cutoff=5, probabilities=[(0, 0.2), (5, 0.9)])
    >>> card = RuleNetwork([Column("age")], [Interval("age", 41)], [level], ["no", "yes"], head=head)
    >>> figure = roc(card.evaluate([[20], [50], [60]], ["no", "no", "yes"]))
    >>> figure.axes[0].get_title()
    'ROC: area 0.750'
    """
    _check_two_classes(value)
    figure, axes = _panel(4.6, 4.4, f"ROC: area {value.auc:.3f}")
    points = [(0.0, 0.0), *((cutoff.false_alarms, cutoff.recall) for cutoff in value.cutoffs)]
    axes.plot([0, 1], [0, 1], **_GUIDE)
    axes.plot(*zip(*points, strict=True), color=LIGHT[0], linewidth=1.4)
    best = max(value.cutoffs, key=lambda cutoff: cutoff.recall - cutoff.false_alarms)
    cutoff = f"{best.at:.3f}" if best.score is None else f"a score of {best.score}"
    label = f"KS {best.recall - best.false_alarms:.3f} at {cutoff}"
    axes.plot(best.false_alarms, best.recall, color=LIGHT[1], marker="o", linestyle="", label=label)
    axes.legend(frameon=False, fontsize="small", loc="lower right")
    axes.set(xlabel="false alarms", ylabel="recall", xlim=_SHARES, ylim=_SHARES, aspect="equal")
    return figure


def reliability(value: Evaluation) -> Figure:
    """Plot how often rows were of the positive class, over the probability that was stated for it.

    Parameters
    ----------
    value : Evaluation
        What `network.evaluate(X, y)` returns, for two classes.

    Returns
    -------
    matplotlib.figure.Figure
        A figure with a dot for each tenth of the probability, with its 95 % Wilson interval, and the rows below.

    Raises
    ------
    InputError
        If there are no cut-offs: of more than two classes, or of rows of one class.

    Examples
    --------
    >>> from conceptrules.model import Column, Interval, Level, Literal, Points, Rule, RuleNetwork
    >>> level = Level([Rule([Literal(0)])], ())
    >>> head = Points([[5]], [0], cutoff=5, probabilities=[(0, 0.2), (5, 0.9)])
    >>> card = RuleNetwork([Column("age")], [Interval("age", 41)], [level], ["no", "yes"], head=head)
    >>> figure = reliability(card.evaluate([[20], [50], [60]], ["no", "no", "yes"]))
    >>> figure.axes[0].get_ylabel()
    'share of rows that are yes'
    """
    _check_two_classes(value)
    figure = _figure(4.6, 5.2)
    axes, counts = figure.subplots(2, 1, sharex=True, height_ratios=[4, 1])
    bins = value.reliability
    ends = [wilson_interval(each.right * each.rows, each.rows) or (0.0, 1.0) for each in bins]
    stated, right = [each.stated for each in bins], [each.right for each in bins]
    axes.plot([0, 1], [0, 1], **_GUIDE)
    axes.errorbar(stated, right, _spans(right, ends), color=LIGHT[0], marker="o", linewidth=1.2)
    axes.set_title(f"reliability: Brier score {value.brier:.3f}", fontsize="medium")
    axes.set(xlim=_SHARES, ylim=_SHARES)
    axes.set_ylabel(_drawable(f"share of rows that are {shorten(word(value.positive), 20)}"), parse_math=False)
    counts.bar(stated, [each.rows for each in bins], width=0.06, color=LIGHT[0])
    counts.set_xlabel("probability stated")
    counts.set_ylabel("rows")
    axes.grid(alpha=0.25)
    return figure


def scores(value: Evaluation) -> Figure:
    """Plot how many rows of each class have each score of a scorecard of two classes.

    Parameters
    ----------
    value : Evaluation
        What `network.evaluate(X, y)` of a scorecard returns, for two classes.

    Returns
    -------
    matplotlib.figure.Figure
        A figure with the share of the rows of each class over the score.

    Raises
    ------
    InputError
        If there are no scores: of a network that is no scorecard, or of more than two classes.

    Examples
    --------
    >>> from conceptrules.model import Column, Interval, Level, Literal, Points, Rule, RuleNetwork
    >>> level = Level([Rule([Literal(0)])], ())
    >>> head = Points([[5]], [0], cutoff=5, probabilities=[(0, 0.2), (5, 0.9)])
    >>> card = RuleNetwork([Column("age")], [Interval("age", 41)], [level], ["no", "yes"], head=head)
    >>> figure = scores(card.evaluate([[20], [50], [60]], ["no", "no", "yes"]))
    >>> figure.axes[0].get_xlabel()
    'score'
    """
    if not value.score_rows:
        raise InputError("only a scorecard of two classes has a score for each row; there is nothing to plot")
    figure, axes = _panel(7, 3.6, grid="y")
    lowest, highest = value.score_rows[0][0], value.score_rows[-1][0]
    width = max(1, -(-(highest - lowest + 1) // _MOST_BARS))
    starts = list(range(lowest, highest + 1, width))
    for kind, label in enumerate(value.classes):
        heights = [0.0] * len(starts)
        total = sum(rows[kind] for _, rows in value.score_rows)
        for score, rows in value.score_rows:
            heights[(score - lowest) // width] += rows[kind] / (total or 1)
        name = _drawable(f"{shorten(word(label), 30)} ({total:,} rows)").replace("$", r"\$")
        axes.bar(
            starts, heights, width=0.92 * width, align="edge", color=LIGHT[kind % len(LIGHT)], alpha=0.6, label=name
        )
    axes.legend(frameon=False, fontsize="small")
    axes.set(xlabel="score", ylabel="share of the rows of the class")
    return figure


def gains(value: Evaluation) -> Figure:
    """Plot which share of the positive class is found among the rows with the highest scores.

    Parameters
    ----------
    value : Evaluation
        What `network.evaluate(X, y)` returns, for two classes.

    Returns
    -------
    matplotlib.figure.Figure
        A figure with the curve, and dashed what rows in any order and in the best order would give.

    Raises
    ------
    InputError
        If there are no cut-offs: of more than two classes, or of rows of one class.

    Examples
    --------
    >>> from conceptrules.model import Column, Interval, Level, Literal, Points, Rule, RuleNetwork
    >>> level = Level([Rule([Literal(0)])], ())
    >>> head = Points([[5]], [0], cutoff=5, probabilities=[(0, 0.2), (5, 0.9)])
    >>> card = RuleNetwork([Column("age")], [Interval("age", 41)], [level], ["no", "yes"], head=head)
    >>> figure = gains(card.evaluate([[20], [50], [60]], ["no", "no", "yes"]))
    >>> figure.axes[0].get_xlabel()
    'share of the rows, highest scores first'
    """
    figure, axes = _ranking_panel(value, "gains")
    points = [(0.0, 0.0), *((cutoff.answered / value.rows, cutoff.recall) for cutoff in value.cutoffs)]
    axes.plot([0, 1], [0, 1], **_GUIDE)
    axes.plot([0, _base_rate(value), 1], [0, 1, 1], **_GUIDE)
    axes.plot(*zip(*points, strict=True), color=LIGHT[0], linewidth=1.4)
    axes.set(xlim=_SHARES, ylim=_SHARES)
    axes.set_ylabel(_drawable(f"share of {shorten(word(value.positive), 20)} found"), parse_math=False)
    return figure


def lift(value: Evaluation) -> Figure:
    """Plot how many times as often the positive class occurs among the rows with the highest scores as among all.

    Parameters
    ----------
    value : Evaluation
        What `network.evaluate(X, y)` returns, for two classes.

    Returns
    -------
    matplotlib.figure.Figure
        A figure with the curve.

    Raises
    ------
    InputError
        If there are no cut-offs: of more than two classes, or of rows of one class.

    Examples
    --------
    >>> from conceptrules.model import Column, Interval, Level, Literal, Points, Rule, RuleNetwork
    >>> level = Level([Rule([Literal(0)])], ())
    >>> head = Points([[5]], [0], cutoff=5, probabilities=[(0, 0.2), (5, 0.9)])
    >>> card = RuleNetwork([Column("age")], [Interval("age", 41)], [level], ["no", "yes"], head=head)
    >>> figure = lift(card.evaluate([[20], [50], [60]], ["no", "no", "yes"]))
    >>> figure.axes[0].get_ylabel()
    'lift'
    """
    figure, axes = _ranking_panel(value, f"lift of {shorten(word(value.positive), 30)}")
    points = [(cutoff.answered / value.rows, cutoff.precision / _base_rate(value)) for cutoff in value.cutoffs]
    axes.axhline(1, **_GUIDE)
    axes.plot(*zip(*points, strict=True), color=LIGHT[0], linewidth=1.4, marker="." if len(points) < _MOST else "")
    axes.set(ylabel="lift", xlim=_SHARES, ylim=(0, None))
    return figure


def _ranking_panel(value: Evaluation, title: str) -> tuple[Figure, Axes]:
    _check_two_classes(value)
    figure, axes = _panel(4.8, 4.0, title)
    axes.set_xlabel("share of the rows, highest scores first")
    return figure, axes


def _base_rate(value: Evaluation) -> float:
    return next(each.rows for each in value.by_class if each.label == value.positive) / value.rows


def predicted(value: NumberEvaluation) -> Figure:
    """Plot what is true over what was predicted, in groups of rows with about the same prediction.

    Parameters
    ----------
    value : NumberEvaluation
        What `network.evaluate(X, y)` of a network that predicts a number returns.

    Returns
    -------
    matplotlib.figure.Figure
        A figure with the mean of each group, and the range of eight in ten of its rows.

    Examples
    --------
    >>> from conceptrules.model import Column, Interval, Level, Literal, Points, Rule, RuleNetwork
    >>> level = Level([Rule([Literal(0)])], ())
    >>> card = RuleNetwork([Column("age")], [Interval("age", 41)], [level], (), head=Points([[5]], [20], step=0.5))
    >>> figure = predicted(card.evaluate([[20], [50], [60]], [10.0, 12.0, 13.0]))
    >>> figure.axes[0].get_xlabel()
    'predicted'
    """
    groups = value.by_prediction
    figure, axes = _panel(4.8, 4.4, "R2: unknown" if value.r2 is None else f"R2: {value.r2:.3f}")
    stated, means = [each.predicted for each in groups], [each.true for each in groups]
    spans = _spans(means, [(each.low, each.high) for each in groups])
    axes.plot([stated[0], stated[-1]], [stated[0], stated[-1]], **_GUIDE)
    axes.errorbar(stated, means, spans, color=LIGHT[0], marker="o", linestyle="")
    axes.set(xlabel="predicted", ylabel="true: mean, and eight in ten rows")
    return figure


def residuals(value: NumberEvaluation) -> Figure:
    """Plot how what was predicted less what is true is distributed.

    Parameters
    ----------
    value : NumberEvaluation
        What `network.evaluate(X, y)` of a network that predicts a number returns.

    Returns
    -------
    matplotlib.figure.Figure
        A figure with bars; the outermost ones hold all rows beyond them.

    Examples
    --------
    >>> from conceptrules.model import Column, Interval, Level, Literal, Points, Rule, RuleNetwork
    >>> level = Level([Rule([Literal(0)])], ())
    >>> card = RuleNetwork([Column("age")], [Interval("age", 41)], [level], (), head=Points([[5]], [20], step=0.5))
    >>> figure = residuals(card.evaluate([[20], [50], [60]], [10.0, 12.0, 13.0]))
    >>> figure.axes[0].get_ylabel()
    'rows'
    """
    figure, axes = _panel(5.6, 3.6, f"errors: {value.mae:.4g} in the mean", grid="y")
    starts, ends, rows = zip(*value.residuals, strict=True)
    widths = [end - start for start, end in zip(starts, ends, strict=True)]
    axes.bar(starts, rows, width=widths, align="edge", color=LIGHT[0], edgecolor="white", linewidth=0.4)
    axes.axvline(0, **_GUIDE)
    axes.set(xlabel="predicted less true", ylabel="rows")
    return figure


def _spans(values: Sequence[float], ends: Sequence[tuple[float, float]]) -> list[list[float]]:
    """Return how far the ends of intervals are below and above these values, as error bars take them."""
    below = [max(value - low, 0.0) for value, (low, _) in zip(values, ends, strict=True)]
    above = [max(high - value, 0.0) for value, (_, high) in zip(values, ends, strict=True)]
    return [below, above]


def _check_two_classes(value: Evaluation) -> None:
    if not value.cutoffs:
        raise InputError("there are no cut-offs to plot: these take probabilities, two classes, and rows of both")


def _score_name(training: Training | None) -> str:
    """Return the name of the score that a network was fitted for, or "score" where that is not recorded."""
    if training is None:
        return "score"
    return SCORE_NAMES.get(_scoring(training), _scoring(training))


def _scoring(training: Training) -> str:
    return str(dict(training.settings).get("scoring", "f1_macro"))  # the paper's method has no choice


def _show_losses(axes: Axes, training: Training | None) -> None:
    """Number the axis of a loss with what it is; it is drawn negative, so that the best network is at the top."""
    if training is not None and _scoring(training).startswith("neg_"):
        axes.yaxis.set_major_formatter(lambda score, _: f"{read_score(_scoring(training), score) + 0.0:g}")


def _panel(width: float, height: float, title: str = "", grid: Literal["both", "y"] = "both") -> tuple[Figure, Axes]:
    """Return a figure with one panel."""
    figure = _figure(width, height)
    axes = figure.subplots()
    axes.set_title(_drawable(title), fontsize="medium", parse_math=False)
    axes.grid(alpha=0.25, axis=grid)
    return figure, axes


def _figure(width: float, height: float, layout: Literal["constrained", "compressed"] = "constrained") -> Figure:
    """Return a figure that no window or global state knows of."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise InputError("plots are made with matplotlib; pip install 'conceptrules[plot]'") from None
    figure = Figure(figsize=(width, height), layout=layout)
    # Notebooks ask a figure for this; they have a way of their own only once `matplotlib.pyplot` is loaded.
    figure._repr_png_ = partial(_to_png, figure)  # type: ignore[attr-defined]
    _show_after_cell(figure)
    return figure


def _show_after_cell(figure: Figure) -> None:
    """Let a notebook show a figure that is not the value of its cell, as where this ends with a semicolon."""
    shell: Any = sys.modules["IPython"].get_ipython() if "IPython" in sys.modules else None
    if getattr(shell, "kernel", None) is None:
        return

    def show(outcome: Any) -> None:
        shell.events.unregister("post_run_cell", show)
        if outcome.result is not figure:
            sys.modules["IPython"].display.display(figure)

    shell.events.register("post_run_cell", show)


def _to_png(figure: Figure) -> bytes:
    picture = BytesIO()
    figure.savefig(picture, format="png")
    return picture.getvalue()


def _names(axes: Axes, names: Sequence[str]) -> None:
    """Write the names on the left, the first on top."""
    texts = [_drawable(shorten(name, _WORDS)) for name in names]
    axes.set_yticks(range(len(texts)), texts, parse_math=False, fontsize="small")
    axes.invert_yaxis()
    axes.spines[["top", "right"]].set_visible(False)


def _drawable(text: str) -> str:
    """Write out characters that the font does not have, for which matplotlib would draw empty boxes and warn."""
    known = _known_characters()
    return "".join(c if ord(c) in known else c.encode("unicode_escape").decode() for c in text)


@cache
def _known_characters() -> frozenset[int]:
    from matplotlib import font_manager

    return frozenset(font_manager.get_font(font_manager.findfont(font_manager.FontProperties())).get_charmap())
