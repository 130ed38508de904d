"""The two pictures of the page."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from benchmarks.tables.summary import FAST, OURS, Cells, cells_of

COLOURS = {OURS: "#c51b7d", FAST: "#de77ae", "cart": "#e6961e", "ebm": "#4d9221", "forest": "#9e9e9e"}
DRAWN_FIRST = ("forest", "ebm", "cart", FAST, OURS)


def draw(cells: Cells, titles: Mapping[str, str], folder: Path) -> None:
    """Write both pictures into a folder."""
    for name, picture in (("against_lightgbm", _against_lightgbm), ("score_and_edges", _score_and_edges)):
        figure = picture(cells, titles)
        figure.savefig(folder / f"{name}.png", dpi=90, metadata={"Software": None})


def _against_lightgbm(cells: Cells, titles: Mapping[str, str]) -> Any:
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
            axes.plot(*zip(*points, strict=True), "o", color=COLOURS[model], label=titles[model], markersize=5)
    axes.axvline(0, color="black", linewidth=1)
    axes.set(yticks=range(len(names)), yticklabels=names, xlabel="macro-F1 minus LightGBM's (points)")
    axes.tick_params(axis="y", labelsize=8)
    axes.grid(alpha=0.3)
    axes.legend(frameon=False, loc="lower right")
    return figure


def _score_and_edges(cells: Cells, titles: Mapping[str, str]) -> Any:
    """Draw each table as a line from CART to ours, by edges and macro-F1."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7.5, 4.5), layout="constrained")
    axes = figure.subplots()
    own = OURS if cells_of(cells, OURS) else FAST
    for pair in cells_of(cells, own, "cart"):
        axes.plot([cell.edges or 0 for cell in pair], [cell.f1 for cell in pair], color="#ccc", linewidth=0.8, zorder=1)
    for model in ("cart", own):
        points = [(cell.edges, cell.f1) for (cell,) in cells_of(cells, model)]
        if points:
            axes.plot(*zip(*points, strict=True), "o", color=COLOURS[model], label=titles[model], markersize=5)
    axes.set(xscale="log", xlabel="edges", ylabel="macro-F1 (%)")
    axes.grid(alpha=0.3)
    axes.legend(frameon=False, loc="lower left")
    return figure
