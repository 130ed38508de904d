"""Each plot is a Figure of its own, draws without a warning, and shows the figures that it was given."""

from __future__ import annotations

import io
import sys
from dataclasses import replace
from itertools import pairwise
from types import SimpleNamespace

import numpy as np
import pytest
from matplotlib import pyplot
from matplotlib.figure import Figure

from conceptrules import InputError, plots
from conceptrules.explain.importance_scores import Importance, Weight
from conceptrules.explain.rule_coverage import coverage
from conceptrules.model import Column, Interval, Level, Literal, Points, Rule, RuleNetwork
from conceptrules.model.evaluation import pack
from conceptrules.model.pareto import Choice, Point, pareto_front
from conceptrules.model.provenance import Training
from conceptrules.model.statistics import with_statistics
from tests.draw.networks import HOSTILE, empty, hostile, large

SCORES = [
    {"rate": rate, "epoch": epoch, "loss": 1 / epoch, "mllp_f1": 0.9, "crs_f1": 0.8, "edges": epoch}
    for rate in (0.5, 0.9)
    for epoch in (5, 10, 15)
]


def measured(network, rows: int = 60):
    random = np.random.default_rng(0)
    bits = random.random((rows, len(network.predicates))) < 0.7
    return with_statistics(network, pack(bits), random.integers(len(network.classes), size=rows))


def drawn(figure: Figure) -> list[str]:
    """All words of the figure, after drawing it; warnings, such as of missing letters, are errors."""
    assert isinstance(figure, Figure)
    figure.savefig(io.BytesIO(), format="png", dpi=40)
    texts = [text.get_text() for axes in figure.axes for text in (*axes.texts, axes.title, *axes.get_yticklabels())]
    assert pyplot.get_fignums() == []
    return texts


def test_history():
    figure = plots.history(SCORES)
    drawn(figure)
    assert len(figure.axes) == 3
    assert figure.axes[0].lines[0].get_ydata().tolist() == [1 / 5, 1 / 10, 1 / 15]
    assert [text.get_text() for text in figure.axes[0].get_legend().get_texts()] == ["0.5", "0.9"]
    assert [text.get_text() for text in figure.axes[1].get_legend().get_texts()] == ["continuous network", "rules"]


def test_history_marks_the_epoch_that_was_chosen():
    figure = plots.history(SCORES, training=Training("1", 0, (), 10, 0.5, 10))
    assert figure.axes[2].lines[-1].get_xdata() == [10, 10]


def path_point(penalty, *, refined=False):
    return {
        "penalty": penalty,
        "refined": refined,
        "augmented": False,
        "edges": 9,
        "score": 0.9,
        "training_score": 1,
    }


def test_refined_networks_are_dots_beside_the_path():
    figure = plots.history([*map(path_point, (5, 2, 1)), path_point(2, refined=True)])
    drawn(figure)
    assert [list(line.get_xdata()) for line in figure.axes[1].lines] == [[5, 2, 1], [2]]
    assert [text.get_text() for text in figure.axes[0].get_legend().get_texts()] == ["training rows", "held-out rows"]
    assert [text.get_text() for text in figure.axes[1].get_legend().get_texts()] == ["improved on more rows"]


@pytest.mark.parametrize(
    "penalties", [(5.0, 2.5, 1.2, 0.6), (30000, 7000, 2000, 500, 120, 30, 8, 2, 0.5), (3.3, 2.9, 2.6, 2.2), (1.5,)]
)
def test_the_ticks_of_the_edge_penalty_do_not_overlap(penalties):
    lines = [path_point(each) for each in penalties]
    figure = plots.history(lines, training=Training("1", 0, (), 10, None, None, edge_penalty=penalties[0]))
    drawn(figure)
    for axes in figure.axes:
        labels = [label for which in ("major", "minor") for label in axes.get_xticklabels(which=which)]
        boxes = sorted((label.get_window_extent() for label in labels if label.get_text()), key=lambda box: box.x0)
        assert boxes
        assert all(left.x1 < right.x0 for left, right in pairwise(boxes))
        assert axes.get_xlabel() == "edge penalty, in rows"
    assert figure.axes[0].get_title() == "macro-F1"


def test_an_empty_history_is_refused():
    with pytest.raises(InputError, match="the history is empty"):
        plots.history([])


def test_importance_shows_the_largest_first_with_hostile_names():
    weights = tuple(Weight(name, 0, number, number) for number, name in enumerate(["idle", *HOSTILE]))
    figure = plots.importance(Importance(50, weights, (), weights))
    texts = drawn(figure)
    assert "<script>alert(1)</script>" in texts
    assert [bar.get_width() for bar in figure.axes[0].patches] == sorted(range(1, len(HOSTILE) + 1), reverse=True)
    assert "columns (and 1 that change nothing)" in texts
    assert all(text.isprintable() and len(text) < 120 for text in texts)


def test_importance_counts_what_it_leaves_out():
    weights = tuple(Weight(f"x{number}", None, number, number) for number in range(50))
    texts = drawn(plots.importance(Importance(50, weights, (), weights)))
    assert "columns (and 29 more, 1 that change nothing)" in texts
    assert drawn(plots.importance(Importance(0, (), (), ())))


def test_coverage_shows_right_and_wrong_rows():
    network = measured(large(50))
    rules = coverage(network)
    figure = plots.coverage(rules)
    widths = [bar.get_width() for bar in figure.axes[0].patches]
    assert widths == [*(rule.right for rule in rules), *(rule.rows - rule.right for rule in rules)]
    assert any(rules[0].text in text for text in drawn(figure))
    assert any(text.endswith("more)") for text in drawn(plots.coverage(coverage(measured(large(2000))))))
    drawn(plots.coverage(coverage(measured(hostile()))))
    drawn(plots.coverage(coverage(measured(empty()))))


def test_rules_cover_what_the_statistics_say():
    network = measured(large(50, classes=3))
    assert network.statistics is not None
    for rule in coverage(network):
        counts = network.statistics.covered[rule.level][rule.index]
        assert rule.rows == sum(counts)
        assert rule.right == counts[network.classes.index(rule.label)]
        assert rule.precision == (rule.right / rule.rows if rule.rows else None)
    assert len(coverage(network)) == sum(len(concept.rules) for concept in network.levels[-1].concepts)


def test_coverage_needs_statistics():
    with pytest.raises(InputError, match="no statistics of training rows"):
        coverage(large(50))


@pytest.mark.parametrize("classes", [2, 26])
def test_confusion(classes):
    matrix = np.arange(classes**2).reshape(classes, classes)
    figure = plots.confusion(matrix, [HOSTILE[i % 10] + chr(65 + i) for i in range(classes)])
    texts = drawn(figure)
    assert {str(count) for count in range(1, classes**2)} <= set(texts)


def test_a_confusion_matrix_of_the_wrong_size_is_refused():
    with pytest.raises(InputError, match="a row and a column for each of the 3 classes"):
        plots.confusion([[1, 2], [3, 4]], "abc")


def test_pareto_front():
    points = [Point(9, 0.8, "$small"), Point(20, 0.7, "worse"), Point(30, 0.9, "large"), Point(30, 0.85)]
    assert pareto_front(points) == (points[0], points[2])
    texts = drawn(plots.pareto_front(points))
    assert "$small" in texts
    assert "worse" not in texts
    few = plots.pareto_front([Point(2, 0.8), Point(3, 0.9)])
    drawn(few)
    assert all(tick == round(tick) for tick in few.axes[0].get_xticks())
    with pytest.raises(InputError, match="there is no network to plot"):
        plots.pareto_front([])


@pytest.mark.parametrize(
    ("settings", "label"),
    [
        ((("scoring", "f1_macro"),), "macro-F1"),
        ((("scoring", "accuracy"),), "accuracy"),
        ((("scoring", "balanced_accuracy"),), "balanced accuracy"),
        ((("scoring", "neg_log_loss"),), "log loss"),
        ((), "macro-F1"),
    ],
)
def test_the_axis_of_the_pareto_front_names_the_score_that_was_used(settings, label):
    network = replace(large(50), training=Training("1", 0, settings, 10, None, None))
    front = [Choice(network.edges, 0.8, network, network)]
    assert plots.pareto_front(front).axes[0].get_ylabel() == label
    assert plots.pareto_front(front, score="F1 of the sick").axes[0].get_ylabel() == "F1 of the sick"
    assert plots.pareto_front([Point(9, 0.8)]).axes[0].get_ylabel() == "score"


def test_a_loss_is_positive_on_its_axis_and_the_best_network_at_the_top():
    network = replace(large(50), training=Training("1", 0, (("scoring", "neg_log_loss"),), 10, None, None))
    axes = plots.pareto_front([Choice(3, -0.75, network, network), Choice(9, -0.25, network, network)]).axes[0]
    assert axes.get_ylim()[0] < -0.75 < -0.25 < axes.get_ylim()[1]
    assert axes.yaxis.get_major_formatter()(-0.25, 0) == "0.25"


NUMBERS = RuleNetwork(
    [Column("age")], [Interval("age", 41)], [Level([Rule([Literal(0)])], ())], (), head=Points([[5]], [20], step=0.5)
)


def card_evaluation(labels=("no", "yes")):
    """The evaluation of a scorecard with scores from 0 to 7."""
    columns = [Column(f"x{i}") for i in range(3)]
    tests = [Interval(column.name, 0) for column in columns]
    level = Level([Rule([Literal(i)]) for i in range(3)], ())
    head = Points([[1], [2], [4]], [0], cutoff=4, probabilities=[(i, i / 8) for i in range(8)])
    rows = [[i & 1, i & 2, i & 4] for i in range(8)]
    truth = [labels[i in (3, 5, 6, 7)] for i in range(8)]
    return RuleNetwork(columns, tests, [level], list(labels), head=head).evaluate(rows, truth)


def test_the_roc_is_that_of_the_cut_offs():
    value = card_evaluation()
    axes = plots.roc(value).axes[0]
    curve = axes.lines[1].get_xydata().tolist()
    assert curve == [[0, 0], *([cutoff.false_alarms, cutoff.recall] for cutoff in value.cutoffs)]
    assert axes.get_legend_handles_labels()[1] == ["KS 0.750 at a score of 5"]
    assert axes.get_title() == f"ROC: area {value.auc:.3f}"


def test_reliability_shows_the_share_of_each_bin_and_its_rows():
    value = card_evaluation()
    above, below = plots.reliability(value).axes
    assert above.lines[1].get_xydata().tolist() == [[each.stated, each.right] for each in value.reliability]
    assert [bar.get_height() for bar in below.patches] == [each.rows for each in value.reliability]


def test_the_scores_of_each_class_sum_to_1():
    axes = plots.scores(card_evaluation()).axes[0]
    heights = [bar.get_height() for bar in axes.patches]
    assert len(heights) == 16
    assert (sum(heights[:8]), sum(heights[8:])) == (1, 1)
    assert [text.get_text() for text in axes.get_legend().get_texts()] == ["no (4 rows)", "yes (4 rows)"]


def test_gains_and_lift_are_those_of_the_cut_offs():
    result = card_evaluation()
    x, found = plots.gains(result).axes[0].lines[-1].get_data()
    assert list(found[1:]) == [each.recall for each in result.cutoffs]
    rate = sum(rows[1] for _, rows in result.score_rows) / result.rows
    drawn = plots.lift(result).axes[0].lines[-1].get_ydata()
    assert list(drawn * rate) == pytest.approx([each.precision for each in result.cutoffs])
    assert list(x[1:]) == [each.answered / result.rows for each in result.cutoffs]


def test_plots_of_numbers_show_every_group_and_every_row():
    result = NUMBERS.evaluate([[20], [50], [60], [70]], [10.0, 12.0, 13.0, 11.0])
    assert [rectangle.get_height() for rectangle in plots.residuals(result).axes[0].patches] == [
        rows for *_, rows in result.residuals
    ]
    means = plots.predicted(result).axes[0].containers[0].lines[0].get_ydata()
    assert list(means) == [each.true for each in result.by_prediction] == [10, 12]


def test_plots_of_two_classes_take_hostile_names_and_refuse_what_has_none():
    value = card_evaluation(("$x^2$\x07", "<b>\U0001f600"))
    for plot in (plots.roc, plots.reliability, plots.scores):
        drawn(plot(value))
    one = replace(value, cutoffs=(), score_rows=())
    for plot in (plots.roc, plots.reliability):
        with pytest.raises(InputError, match="two classes, and rows of both"):
            plot(one)
    with pytest.raises(InputError, match="only a scorecard of two classes"):
        plots.scores(one)


def test_without_matplotlib_the_install_line_is_told(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(InputError, match=r"pip install 'conceptrules\[plot\]'"):
        plots.history(SCORES)


def test_a_notebook_shows_a_plot_without_pyplot():
    """No `%matplotlib inline` and no import of pyplot are needed."""
    picture = plots.history(SCORES, training=Training("1", 0, (), 10, 0.5, 10))._repr_png_()
    assert picture.startswith(b"\x89PNG")


class Notebook:
    """What a plot needs to know of IPython."""

    kernel = "a kernel"

    def __init__(self) -> None:
        self.callbacks: list = []
        self.displayed: list = []
        self.events = SimpleNamespace(register=self._register, unregister=self._unregister)
        self.display = SimpleNamespace(display=self.displayed.append)

    def get_ipython(self):
        return self

    def _register(self, event, callback):
        assert event == "post_run_cell"
        self.callbacks.append(callback)

    def _unregister(self, event, callback):
        self.callbacks.remove(callback)

    def end_cell(self, value):
        for callback in list(self.callbacks):
            callback(SimpleNamespace(result=value))


def test_a_notebook_shows_a_plot_once_whether_its_cell_ends_with_a_semicolon_or_not(monkeypatch):
    notebook = Notebook()
    monkeypatch.setitem(sys.modules, "IPython", notebook)
    figure = plots.pareto_front([Point(9, 0.8)])
    notebook.end_cell(None)  # the semicolon hides the value
    assert notebook.displayed == [figure]
    notebook.end_cell(None)
    notebook.end_cell(plots.pareto_front([Point(9, 0.8)]))  # the notebook shows the value by itself
    assert notebook.displayed == [figure]
