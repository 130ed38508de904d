"""The figures of RESULTS.md, as SVG, drawn from records alone; the same records give the same bytes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.paper import case_study, rate_claims
from benchmarks.paper.records import STAGES
from benchmarks.paper.reference import data_names
from benchmarks.paper.results import Results

BARS = (
    ("CRS_O", "crs", STAGES[0], "#c6dbef"),
    ("CRS_DN", "crs", STAGES[1], "#9ecae1"),
    ("CRS_RR", "crs", STAGES[2], "#6baed6"),
    ("CRS_DN&RR", "crs", STAGES[3], "#2171b5"),
    ("C4.5", "c45", "edges", "#fdae6b"),
    ("CART", "cart", "edges", "#e6550d"),
    ("RF(100)", "rf100", "edges", "#636363"),
)
SHADES = {True: ("#fdae6b", "#e6550d", "#8c2d04"), False: ("#9ecae1", "#4292c6", "#08306b")}
MARKS = ("o", "s", "^")
STYLE = {
    "svg.hashsalt": "conceptrules",  # names of clip paths, otherwise new in each run
    "svg.fonttype": "none",
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans", "Arial"],
    "font.size": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
}


def draw_all(results: Results, folder: Path) -> list[str]:
    """Draw all figures that there are records for, and return their names."""
    import matplotlib
    from matplotlib.figure import Figure

    folder.mkdir(parents=True, exist_ok=True)
    drawn = []
    with matplotlib.rc_context(STYLE):
        for name, draw in DRAWINGS.items():
            path = folder / f"{name}.svg"
            figure = draw(results, Figure)
            if figure is None:
                path.unlink(missing_ok=True)
                continue
            figure.savefig(path, metadata={"Date": None, "Creator": None})
            drawn.append(name)
    return drawn


def rate(results: Results, Figure: Any) -> Any:
    """Draw F1 against the rate, a line a structure: dashed for shallow ones, darker for wider ones, a mark for each."""
    points = rate_claims.rate_points(results)
    if not points:
        return None
    figure = Figure(figsize=(7.5, 4), layout="constrained")
    axes = figure.subplots()
    found = rate_claims.curves(points)
    for layers, curve in found.items():
        same = [other for other in found if len(other) == len(layers)]
        place = same.index(layers) % len(SHADES[True])
        shallow = len(layers) == 1
        axes.plot(
            list(curve),
            list(curve.values()),
            "--" if shallow else "-",
            color=SHADES[shallow][place],
            marker=MARKS[place],
            markersize=4,
            label=_name(layers),
        )
    axes.set(xlabel="binarization rate P", ylabel="macro-F1 of the CRS (%)")
    axes.grid(alpha=0.3)
    figure.legend(loc="outside right center", frameon=False, title="middle layers")  # no corner is free of lines
    return figure


def complexity(results: Results, Figure: Any) -> Any:
    """Draw edges on a log scale, a group of bars for each data set."""
    counts = {name: [results.edges(data, model, stage) for data in data_names()] for name, model, stage, _ in BARS}
    if not any(count for bars in counts.values() for count in bars):
        return None
    figure = Figure(figsize=(11, 3.6), layout="constrained")
    axes = figure.subplots()
    width = 0.8 / len(BARS)
    for place, (name, _, _, colour) in enumerate(BARS):
        known = [(row, count) for row, count in enumerate(counts[name]) if count]
        left = [row - 0.4 + (place + 0.5) * width for row, _ in known]
        axes.bar(left, [count for _, count in known], width, color=colour, label=name)
    axes.set(yscale="log", ylabel="edges", ylim=(1, None), xlim=(-0.6, len(data_names()) - 0.4))
    axes.set_xticks(range(len(data_names())), data_names(), rotation=20, ha="right")
    axes.grid(axis="y", alpha=0.3)
    axes.set_axisbelow(True)
    figure.legend(loc="outside upper center", ncols=len(BARS), frameon=False)
    return figure


def activation(results: Results, Figure: Any) -> Any:
    """Draw truth tables of F_c and F_d, and the heat map of F_c (1 - F_d) on the unit square."""
    from matplotlib import colormaps

    figure = Figure(figsize=(9, 3), layout="constrained")
    left, middle, right = figure.subplots(1, 3, width_ratios=(1, 1, 1.5))
    for axes, name, function in ((left, "F_c", conjunction), (middle, "F_d", disjunction)):
        _truth_table(axes, name, function)
    steps = np.linspace(0, 1, 21)  # more would show no more, and each cell is a path in the file
    h, w = np.meshgrid(steps, steps)
    colours = colormaps["viridis"].resampled(20)
    mesh = right.pcolormesh(h, w, conjunction(h, w) * (1 - disjunction(h, w)), cmap=colours, vmin=0, vmax=1)
    right.set(xlabel="h", ylabel="w", title=r"$F_c(h, w) \cdot (1 - F_d(h, w))$", aspect="equal")
    figure.colorbar(mesh, ax=right)
    return figure


def conjunction(h: Any, w: Any) -> Any:
    return 1 - w * (1 - h)


def disjunction(h: Any, w: Any) -> Any:
    return h * w


def _truth_table(axes: Any, name: str, function: Callable[[Any, Any], Any]) -> None:
    rows = [[str(h), str(w), str(function(h, w))] for h in (0, 1) for w in (0, 1)]
    table = axes.table(rows, colLabels=["h", "w", f"${name}(h, w)$"], loc="upper center", cellLoc="center")
    table.auto_set_font_size(False)
    table.set_fontsize(9)
    table.scale(1, 1.6)
    axes.set_title(f"truth table of ${name}$")
    axes.set_axis_off()


def gap(results: Results, Figure: Any) -> Any:
    """Draw both networks over the epochs above, and below on how many rows no class fires or several do."""
    found = {data: results.entries("gap", data=data) for data in data_names()}
    chosen = {data: sorted(entries, key=lambda entry: entry["epoch"]) for data, entries in found.items() if entries}
    if not chosen:
        return None
    figure = Figure(figsize=(max(4.5, 3.2 * len(chosen)), 5), layout="constrained")
    grid = figure.subplots(2, len(chosen), squeeze=False, sharex="col")
    for column, (data, entries) in enumerate(chosen.items()):
        epochs = [entry["epoch"] for entry in entries]
        above, below = grid[:, column]
        for key, name, colour in (("mllp_f1", "MLLP", "#e6550d"), ("crs_f1", "its CRS", "#2171b5")):
            above.plot(epochs, [100 * entry[key] for entry in entries], color=colour, label=name)
        for key, name, colour in (("none", "no class fires", "#756bb1"), ("several", "several fire", "#31a354")):
            below.plot(epochs, [100 * entry[key] for entry in entries], color=colour, label=name)
        above.set(title=data, ylabel="macro-F1 (%)" if column == 0 else "")
        below.set(xlabel="epoch", ylabel="rows (%)" if column == 0 else "")
        for axes in (above, below):
            axes.grid(alpha=0.3)
    for axes in grid[:, 0]:
        axes.legend(frameon=False)
    return figure


def _name(layers: tuple[int, ...]) -> str:
    return "_".join(map(str, layers))


DRAWINGS: dict[str, Callable[[Results, Any], Any]] = {
    "activation": activation,
    "rate": rate,
    "complexity": complexity,
    "case": case_study.draw,
    "gap": gap,
}
