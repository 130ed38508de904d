"""The picture of docs/performance.md, drawn from records: cost against rows, literals and width."""

from __future__ import annotations

from pathlib import Path
from statistics import median
from typing import Any

from matplotlib.figure import Figure

from benchmarks.speed.measure import Measurement
from benchmarks.speed.report import Groups

PICTURE = Path(__file__).parents[2] / "docs" / "images" / "growth.png"


def draw(groups: Groups, path: Path = PICTURE) -> Path:
    """Seconds against each size, with logarithms on both axes; bars from the fastest repeat to the slowest."""
    curves = [measured for measured in groups.get("growth", []) if "against" in measured.details]
    if not curves:
        raise SystemExit("no record of `growth` here; run `python -m benchmarks.speed --only growth` first")
    figure = Figure(figsize=(9, 3.2), layout="constrained")
    sizes = list(dict.fromkeys(curve.details["against"] for curve in curves))
    for axes, against in zip(figure.subplots(1, len(sizes), squeeze=False)[0], sizes, strict=True):
        chosen = [curve for curve in curves if curve.details["against"] == against]
        axes.set(xscale="log", yscale="log", xlabel=against, ylabel="seconds")
        for curve in chosen:
            _draw_curve(axes, curve)
        ticks = chosen[0].details["sizes"]
        axes.set_xticks(ticks, [f"{tick:,}" for tick in ticks])
        axes.set_xticks([], minor=True)
        axes.margins(y=0.3)  # room for the legend
        axes.grid(alpha=0.3)
        axes.legend(loc="upper left", frameon=False, fontsize="small")
    path.parent.mkdir(exist_ok=True)
    figure.savefig(path, dpi=100, metadata={"Software": None})
    return path


def _draw_curve(axes: Any, curve: Measurement) -> None:
    middles = [median(taken) for taken in curve.times.values()]
    below = [middle - min(taken) for middle, taken in zip(middles, curve.times.values(), strict=True)]
    above = [max(taken) - middle for middle, taken in zip(middles, curve.times.values(), strict=True)]
    what = curve.name.rpartition(" of ")[2]
    label = f"{what}: exponent {curve.value:.2f}"
    axes.errorbar(curve.details["sizes"], middles, (below, above), marker="o", markersize=3, capsize=2, label=label)
