"""The charts of a report on a scorecard: what they show as values, and these as SVG in the colours of the page."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from conceptrules.draw.appearance import escape_text, shorten
from conceptrules.explain.measurement import Bin
from conceptrules.explain.number_scores import NumberEvaluation
from conceptrules.explain.scores import Cutoff, Evaluation, count_by_rank
from conceptrules.model.precision import wilson_interval
from conceptrules.model.text import percent, plural, word

_BARS = 40  # of the distribution of scores
_MOST_POINTS = 200  # of a curve
_FIRST = 0.2  # the share of the rows that the sentence below gains is about
_MOST_CUTOFFS = 20  # of the table
_MOST_CURVES = 8  # of classes, beside each other
_WIDTH, _HEIGHT = 360.0, 230.0
_LEFT, _RIGHT, _TOP, _BOTTOM = 58.0, 18.0, 10.0, 40.0
_TICKS = 5

Points = tuple[tuple[float, ...], ...]


@dataclass(frozen=True, slots=True)
class Series:
    """One set of marks of a chart."""

    kind: Literal["line", "dots", "bars", "guide"]
    points: Points
    """Of lines and guides x and y; of dots also the ends of an interval; of bars from, to and height."""
    colour: int = 0
    """The number of the colour in the palette."""
    name: str = ""


@dataclass(frozen=True, slots=True)
class Chart:
    """A chart, what it is about, and what can be read off it."""

    title: str
    note: str
    x: str
    y: str
    series: tuple[Series, ...]
    shares: tuple[bool, bool] = (False, False)
    """Whether x and y are shares, written in per cent, from 0 to 1 at least."""

    @property
    def legend(self) -> list[Series]:
        """The series that have names."""
        return [series for series in self.series if series.name]


def class_charts(
    scores: Evaluation, cutoff: int | None, ranks: NDArray[np.float64], target: NDArray[np.intp]
) -> Iterator[Chart]:
    """Yield the charts of a card of classes; `ranks` order the rows for each class, and `target` is that of each."""
    if scores.score_rows:
        yield _chart_distribution(scores, cutoff)
    if scores.positive is not None and scores.reliability:
        about = f"the share of the rows that are {_brief(scores.positive)}"
        yield _chart_reliability(
            scores.reliability, f"By tenths of the stated chance, {about}, with its 95 % interval."
        )
    elif scores.calibration:
        note = "By tenths of the chance stated for the answer, the share of the rows that it is right on."
        yield _chart_reliability(scores.calibration, f"{note} The bars are 95 % intervals.")
    if scores.cutoffs:
        yield from _ranking_charts(scores)
    elif scores.positive is None:
        yield from _chart_all_classes(scores, ranks, target)


def _chart_distribution(scores: Evaluation, cutoff: int | None) -> Chart:
    lowest, highest = scores.score_rows[0][0], scores.score_rows[-1][0]
    width = max(1, -(-(highest - lowest + 1) // _BARS))
    starts = range(lowest, highest + 1, width)
    bars, tallest = [], 0.0
    for kind, label in enumerate(scores.classes):
        total = sum(rows[kind] for _, rows in scores.score_rows)
        if total:
            heights = [0.0] * len(starts)
            for score, rows in scores.score_rows:
                heights[(score - lowest) // width] += rows[kind] / total
            # A score of 3 is drawn from 2.5 to 3.5.
            boxes = [(at - 0.5, at + width - 0.5, high) for at, high in zip(starts, heights, strict=True) if high]
            bars.append(Series("bars", tuple(boxes), kind % 8, f"{_brief(label)} ({plural(total, 'row')})"))
            tallest = max(tallest, *heights)
    note = "The share of the rows of each class that have a score; the better they are apart, the better the card."
    if cutoff is not None and lowest <= cutoff <= highest:
        bars.append(Series("guide", ((cutoff - 0.5, 0.0), (cutoff - 0.5, tallest))))
        note += f" The line is the cut-off of {cutoff}."
    return Chart("Scores by class", note, "score", "share of the class", tuple(bars), (False, True))


def _chart_reliability(bins: Sequence[Bin], note: str) -> Chart:
    dots = []
    for each in bins:
        low, high = wilson_interval(each.right * each.rows, each.rows) or (0.0, 1.0)
        dots.append((each.stated, each.right, low, high))
    series = (_diagonal(0.0, 1.0), Series("dots", tuple(dots)))
    note += " On the line, what was stated came true."
    return Chart("Are the chances reliable?", note, "stated", "came true", series, (True, True))


def _ranking_charts(scores: Evaluation) -> Iterator[Chart]:
    """Yield ROC, gains and lift of two classes."""
    cutoffs, name = _thin(scores.cutoffs), _brief(scores.positive)
    used = [each for each in scores.cutoffs if is_used(scores, each)][:1]
    roc = ((0.0, 0.0), *((each.false_alarms, each.recall) for each in cutoffs))
    dots = (
        (Series("dots", tuple((each.false_alarms, each.recall) for each in used), 1, "the cut-off in use"),)
        if used
        else ()
    )
    yield Chart(
        f"ROC: area {scores.auc:.3f}",
        f"Recall (the share of {name} that is answered so) over false alarms, at each cut-off.",
        "false alarms",
        "recall",
        (_diagonal(0.0, 1.0), Series("line", roc), *dots),
        (True, True),
    )
    gains = ((0.0, 0.0), *((each.answered / scores.rows, each.recall) for each in cutoffs))
    share, recall = next((share, recall) for share, recall in gains if share >= _FIRST or recall == 1)
    yield Chart(
        "Gains",
        f"The rows with the highest scores first: {percent(share)} of them hold {percent(recall)} of all {name}.",
        "share of the rows",
        f"share of {name} found",
        (_diagonal(0.0, 1.0), Series("line", gains)),
        (True, True),
    )
    rate = next(each.rows for each in scores.by_class if each.label == scores.positive) / scores.rows
    lift = tuple((each.answered / scores.rows, each.precision / rate) for each in cutoffs)
    yield Chart(
        "Lift",
        f"How many times as often {name} occurs among these rows as among all.",
        "share of the rows",
        "lift",
        (Series("guide", ((0.0, 1.0), (1.0, 1.0))), Series("line", lift)),
        (True, False),
    )


def _thin(cutoffs: Sequence[Cutoff]) -> list[Cutoff]:
    """Return so many of the cut-offs that a curve is drawn as well by them; the last one is among them."""
    step = -(-len(cutoffs) // _MOST_POINTS)
    return [*cutoffs[:-1:step], cutoffs[-1]]


def list_cutoffs(scores: Evaluation) -> list[Cutoff]:
    """Return at most about twenty cut-offs that answer about as many rows more each, and the one that is in use."""
    if not scores.cutoffs:
        return []
    last = len(scores.cutoffs) - 1
    answered = np.array([each.answered for each in scores.cutoffs])
    marks = np.searchsorted(answered, np.linspace(0, scores.rows, _MOST_CUTOFFS + 1)[1:], side="left")
    used = [index for index, each in enumerate(scores.cutoffs) if is_used(scores, each)][:1]
    return [scores.cutoffs[index] for index in sorted({*np.minimum(marks, last).tolist(), *used})]


def is_used(scores: Evaluation, cutoff: Cutoff) -> bool:
    """Return whether the answers are by this cut-off."""
    return any(each.label == scores.positive and each.answered == cutoff.answered for each in scores.by_class)


def _chart_all_classes(scores: Evaluation, ranks: NDArray[np.float64], target: NDArray[np.intp]) -> Iterator[Chart]:
    """Yield the ROC curves of each class against all others, of the most frequent classes."""
    lines: list[Series] = []
    for each in sorted(scores.by_class, key=lambda each: -each.rows)[:_MOST_CURVES]:
        kind = scores.classes.index(each.label)
        if each.auc is not None:
            _, hits, alarms = count_by_rank(ranks[:, kind], target == kind)
            step = -(-len(hits) // _MOST_POINTS)
            curve = zip(alarms[::step] / alarms[-1], hits[::step] / hits[-1], strict=True)
            lines.append(
                Series("line", ((0.0, 0.0), *curve, (1.0, 1.0)), len(lines), f"{_brief(each.label)} {each.auc:.3f}")
            )
    if lines:
        note = "Each class against all others, with the area under its curve."
        yield Chart("ROC", note, "false alarms", "recall", (_diagonal(0.0, 1.0), *lines), (True, True))


def number_charts(numbers: NumberEvaluation, name: str) -> Iterator[Chart]:
    """Yield the charts of predicted numbers."""
    groups = numbers.by_prediction
    low, high = min(each.predicted for each in groups), max(each.predicted for each in groups)
    dots = tuple((each.predicted, each.true, each.low, each.high) for each in groups)
    yield Chart(
        "Predicted and true",
        "The rows in groups of about the same prediction: the mean of what is true, and the range of eight in ten of "
        "them. On the line, the mean is what was predicted.",
        f"{name} predicted",
        "true",
        (_diagonal(low, high), Series("dots", dots)),
    )
    bars = tuple((start, end, rows / numbers.rows) for start, end, rows in numbers.residuals)
    tallest = max(height for *_, height in bars)
    yield Chart(
        "Errors",
        "What was predicted less what is true; the outermost bars hold all beyond them.",
        "predicted less true",
        "share of the rows",
        (Series("bars", bars), Series("guide", ((0.0, 0.0), (0.0, tallest)))),
        (False, True),
    )


def _diagonal(low: float, high: float) -> Series:
    return Series("guide", ((low, low), (high, high)))


def _brief(label: Any) -> str:
    return shorten(word(label), 24)


# Drawing


def chart_svg(chart: Chart) -> str:
    """Return a chart as SVG; its colours are classes of the page's style."""
    across = _Axis.over(
        [x for series in chart.series for x in _list_x(series)], chart.shares[0], _LEFT, _WIDTH - _RIGHT
    )
    up = _Axis.over([y for series in chart.series for y in _list_y(series)], chart.shares[1], _HEIGHT - _BOTTOM, _TOP)
    name = escape_text(chart.title)
    parts = [f'<svg class="chart" viewBox="0 0 {_WIDTH:.0f} {_HEIGHT:.0f}" role="img" aria-label="{name}">']
    for tick in up.ticks:
        y = up.at(tick)
        parts.append(f'<path class="grid" d="M{_LEFT:.0f} {y:.1f}H{_WIDTH - _RIGHT:.0f}"/>')
        parts.append(f'<text x="{_LEFT - 6:.0f}" y="{y + 4:.1f}" text-anchor="end">{up.text(tick)}</text>')
    for tick in across.ticks:
        x = across.at(tick)
        parts.append(
            f'<text x="{x:.1f}" y="{_HEIGHT - _BOTTOM + 15:.0f}" text-anchor="middle">{across.text(tick)}</text>'
        )
    parts += [_draw_series(series, across, up) for series in chart.series]
    right, up_to = (_LEFT + _WIDTH - _RIGHT) / 2, (_TOP + _HEIGHT - _BOTTOM) / 2
    parts += [
        f'<text x="{right:.0f}" y="{_HEIGHT - 6:.0f}" text-anchor="middle">{escape_text(chart.x)}</text>',
        f'<text transform="translate(11 {up_to:.0f}) rotate(-90)" text-anchor="middle">{escape_text(chart.y)}</text>',
        "</svg>",
    ]
    return "".join(parts)


@dataclass(frozen=True, slots=True)
class _Axis:
    """Where the values of an axis are drawn, between two places, and which of them are written."""

    low: float
    high: float
    start: float
    end: float
    ticks: tuple[float, ...]
    share: bool

    @classmethod
    def over(cls, values: Sequence[float], share: bool, start: float, end: float) -> _Axis:
        low, high = min(values, default=0.0), max(values, default=1.0)
        if share:
            low, high = 0.0, 1.0 if high > 0.5 else high
        if not low < high:
            low, high = low - (abs(low) or 1.0) / 2, high + (abs(high) or 1.0) / 2
        step = _round_step((high - low) / _TICKS)
        if share:
            first, last = 0, math.floor(high / step + 1e-9)
        else:  # it begins and ends with a tick
            first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
            low, high = first * step, last * step
        return cls(low, high, start, end, tuple(number * step for number in range(first, last + 1)), share)

    def at(self, value: float) -> float:
        """Return where a value is drawn."""
        return self.start + (self.end - self.start) * (value - self.low) / (self.high - self.low)

    def text(self, tick: float) -> str:
        """Return a value as it is written at the axis."""
        if self.share:
            return f"{100 * tick:.4g}%"
        return f"{tick:,.10g}" if abs(tick) < 1e6 else f"{tick:.3g}"


def _round_step(least: float) -> float:
    """Return the smallest of 1, 2 and 5 times a power of ten that is at least this.

    >>> _round_step(0.03), _round_step(170.0)
    (0.05, 200.0)
    """
    power = 10.0 ** math.floor(math.log10(least))
    step = next(factor for factor in (1, 2, 5, 10) if factor * power >= least * (1 - 1e-9)) * power
    return float(f"{step:.1g}")


def _list_x(series: Series) -> list[float]:
    return [x for point in series.points for x in (point[:2] if series.kind == "bars" else point[:1])]


def _list_y(series: Series) -> list[float]:
    if series.kind == "bars":
        return [0.0, *(point[2] for point in series.points)]
    return [y for point in series.points for y in point[1:]]


def _draw_series(series: Series, across: _Axis, up: _Axis) -> str:
    colour = f"k{series.colour % 8}"
    if series.kind == "bars":
        floor = up.at(0.0)
        boxes = "".join(
            f"M{across.at(start):.1f} {floor:.1f}V{up.at(height):.1f}H{across.at(end):.1f}V{floor:.1f}z"
            for start, end, height in series.points
        )
        return f'<path class="bars {colour}" d="{boxes}"/>'
    if series.kind == "dots":
        ends = [point for point in series.points if len(point) > 2]
        spans = "".join(f"M{across.at(x):.1f} {up.at(low):.1f}V{up.at(high):.1f}" for x, _, low, high in ends)
        dots = "".join(f'<circle class="{colour}" cx="{across.at(x):.1f}" cy="{up.at(y):.1f}" r="3.5"/>'
                       for x, y, *_ in series.points)  # fmt: skip
        return (f'<path class="line {colour}" d="{spans}"/>' if spans else "") + dots
    corners = "L".join(f"{across.at(x):.1f} {up.at(y):.1f}" for x, y in series.points)
    return f'<path class="{"guide" if series.kind == "guide" else f"line {colour}"}" d="M{corners}"/>'
