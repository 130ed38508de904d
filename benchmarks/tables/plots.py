"""The pictures of the page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import mean, median
from typing import Any

from benchmarks.tables.comparison import LABELS, Group, join_models, rank_models
from benchmarks.tables.summary import FAST, OURS, Cells
from conceptrules.model.text import plural

COLOURS = {OURS: "#c51b7d", FAST: "#de77ae", "cart": "#e6961e", "ebm": "#4d9221", "forest": "#9e9e9e"}
DRAWN_FIRST = ("forest", "ebm", "cart", FAST, OURS)


def draw(cells: Cells, groups: Sequence[Group], folder: Path) -> None:
    """Write the pictures into a folder."""
    figures = {
        "against_lightgbm": _against_lightgbm(cells),
        "score_and_size": draw_score_and_size(groups),
        "ranks": draw_ranks(groups),
    }
    for name, figure in figures.items():
        figure.savefig(folder / f"{name}.png", dpi=90, metadata={"Software": None})


def _against_lightgbm(cells: Cells) -> Any:
    """Draw for each table how far each model is from LightGBM, sorted by ours, or CART where ours is not on record."""
    from matplotlib.figure import Figure

    def order(name: str) -> float:
        row = cells[name]
        return next((row[model].f1 - row["lightgbm"].f1 for model in (OURS, FAST, "cart") if model in row), 0.0)

    names = sorted((name for name, row in cells.items() if "lightgbm" in row), key=order)
    figure = Figure(figsize=(7.5, 1.5 + 0.19 * len(names)), layout="constrained")
    axes = figure.subplots()
    for model in DRAWN_FIRST:
        points = [
            (cells[name][model].f1 - cells[name]["lightgbm"].f1, k)
            for k, name in enumerate(names)
            if model in cells[name]
        ]
        if points:
            axes.plot(*zip(*points, strict=True), "o", color=COLOURS[model], label=LABELS[model].title, markersize=5)
    axes.axvline(0, color="black", linewidth=1)
    axes.set(yticks=range(len(names)), yticklabels=names, xlabel="macro-F1 minus LightGBM's (points)")
    axes.tick_params(axis="y", labelsize=8)
    axes.grid(alpha=0.3)
    axes.legend(frameon=False, loc="lower right")
    return figure


def draw_score_and_size(groups: Sequence[Group]) -> Any:
    """Draw the mean score of each model against its size, in its own terms and in columns, for each group of tables."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(13, 8.5), layout="constrained")
    grid = figure.subplots(2, len(groups), squeeze=False)
    for column, group in enumerate(groups):
        outcomes = {model: list(group.column(model).values()) for model in group.complete_models()}
        whole = {model: each for model, each in outcomes.items() if len(each) == len(group.outcomes)}
        for axes, size in zip(grid[:, column], ("size", "columns"), strict=True):
            sizes = {model: [getattr(outcome, size) for outcome in each] for model, each in whole.items()}
            points = {
                model: (median(sizes[model]), mean(outcome.score for outcome in whole[model]))
                for model in whole
                if None not in sizes[model]
            }
            axes.set(xscale="log" if size == "size" else "linear", ylabel=f"{group.score}, mean (%)")
            axes.xaxis.set_major_formatter("{x:,.0f}")
            axes.set_visible(bool(points))
            axes.set_xlabel("columns that are asked about, median" if size == "columns" else "size, median")
            axes.set_title(f"{group.title}: {plural(len(group.outcomes), 'table')}" if size == "size" else "")
            axes.margins(0.2, 0.1)
            axes.grid(alpha=0.25)
            for model, point in points.items():
                axes.plot(*point, "o", color=LABELS[model].colour, markersize=7 if model == group.own else 5)
            _label_points(axes, points, group.own)
    return figure


def _label_points(axes: Any, points: Mapping[str, tuple[float, float]], own: str) -> None:
    """Write the name of each model beside its point, where the fewest other names and points are covered."""
    figure = axes.figure
    figure.draw_without_rendering()
    renderer = figure._get_renderer()
    places = {model: axes.transData.transform(point) for model, point in points.items()}
    boxes: list[Any] = []
    for model, point in points.items():
        label = LABELS[model]
        tries: list[Any] = []
        for x, y in ((7, 0), (-7, 0), (0, 8), (0, -8), (6, 9), (6, -9), (-6, 9), (-6, -9), (0, 18), (0, -18)):
            text = axes.annotate(
                label.title,
                point,
                (x, y),
                textcoords="offset points",
                ha="left" if x > 0 else "right" if x < 0 else "center",
                va="center" if y == 0 else "bottom" if y > 0 else "top",
                fontsize=8,
                color=label.colour,
                fontweight="bold" if model == own else "normal",
            )
            box = text.get_window_extent(renderer)
            frame = axes.get_window_extent(renderer)
            outside = box.x0 < frame.x0 or box.x1 > frame.x1 or box.y0 < frame.y0 or box.y1 > frame.y1
            others = [place for name, place in places.items() if name != model]
            covered = sum(map(box.overlaps, boxes)) + sum(box.padded(5).contains(*place) for place in others)
            tries.append((covered + 2 * outside, len(tries), text, box))
        best = min(tries, key=lambda each: each[:2])
        for other in tries:
            if other is not best:
                other[2].remove()
        boxes.append(best[3])


def draw_ranks(groups: Sequence[Group]) -> Any:
    """Draw critical differences: models by their mean rank, those that are not told apart joined by a bar."""
    from matplotlib.figure import Figure

    ranked = [(group, *rank_models(group)) for group in groups]
    heights = [len(ranks) / 2 + 4 for _, ranks, _ in ranked]
    figure = Figure(figsize=(9, 0.26 * sum(heights)), layout="constrained")
    for axes, (group, ranks, critical) in zip(
        figure.subplots(len(groups), height_ratios=heights, squeeze=False)[:, 0], ranked, strict=True
    ):
        _draw_critical_differences(axes, ranks, critical)
        axes.set_title(
            f"{group.title}: mean rank by {group.score} on {plural(len(group.outcomes), 'table')}",
            loc="left",
            fontsize=10,
        )
    return figure


def _draw_critical_differences(axes: Any, ranks: Mapping[str, float], critical: float) -> None:
    """Draw one diagram: the best model is on the left, and names hang below the axis, outer ones lowest."""
    count = len(ranks)
    bars = join_models(ranks, critical)
    top = 1 + 0.45 * len(bars)
    axes.set(xlim=(1 - 0.28 * count, count + 0.28 * count), ylim=(-(top + (count + 1) // 2), 1.6))
    axes.axis("off")
    axes.plot([1, count], [0, 0], color="black", linewidth=1)
    for tick in range(1, count + 1):
        axes.plot([tick, tick], [0, 0.25], color="black", linewidth=1)
        axes.text(tick, 0.35, str(tick), ha="center", va="bottom", fontsize=8)
    axes.plot([1, 1 + critical], [1.35, 1.35], color="black", linewidth=1.5)
    axes.text(
        1 + critical + 0.1, 1.35, "differences up to this may be by chance (Nemenyi, 5 %)", va="center", fontsize=8
    )
    for k, (model, rank) in enumerate(ranks.items()):
        left = k < (count + 1) // 2
        depth = -(top + (k if left else count - 1 - k))
        end: float = 0.8 if left else count + 0.2
        label = LABELS[model]
        axes.plot([rank, rank, end], [0, depth, depth], color=label.colour, linewidth=1)
        axes.text(
            end + (-0.1 if left else 0.1), depth, f"{label.title} {rank:.1f}", ha="right" if left else "left",
            va="center", fontsize=9, color=label.colour,
        )  # fmt: skip
    for k, (best, worst) in enumerate(bars):
        height = -0.45 * (k + 1)
        axes.plot([ranks[best] - 0.05, ranks[worst] + 0.05], [height, height], color="black", linewidth=3)
