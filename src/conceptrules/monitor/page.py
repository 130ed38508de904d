"""The monitoring as one HTML page: nothing in it loads or runs anything, and names in it are nothing but text."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

from jinja2 import Environment, StrictUndefined
from markupsafe import Markup

from conceptrules import __version__
from conceptrules.model.precision import interval_text
from conceptrules.model.predicate import printable
from conceptrules.model.text import plural
from conceptrules.monitor.figures import Figure
from conceptrules.monitor.monitoring import Monitoring, figure_text, figure_title

_WIDTH, _HEIGHT = 220, 48
_LINES = ("accuracy", "auc", "psi scores", "psi answers", "default", "mae")
"""The figures of a history that are drawn; psi and csi of columns and rules are in the file."""


@dataclass(frozen=True, slots=True)
class Curve:
    """A figure over time."""

    title: str
    points: tuple[tuple[float, float], ...]
    """Places in the picture."""
    least: float
    most: float
    first: str
    last: str
    """The times of the ends."""


def render_page(monitoring: Monitoring, history: Sequence[Mapping[str, Any]] = ()) -> str:
    """Return the page."""
    room = files("conceptrules.monitor")
    style = room.joinpath("page.css").read_text(encoding="utf-8")
    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    environment.filters |= {"shown": printable, "title_of": figure_title, "interval": _interval}
    environment.globals |= {"plural": plural, "value_of": figure_text, "zip": zip}
    template = environment.from_string(room.joinpath("page.html.jinja").read_text(encoding="utf-8"))
    runs = [(str(line["when"]), line["figures"]) for line in history]
    periods = [(name, _list_values(part)) for name, part in monitoring.periods]
    text: str = template.render(
        monitoring=monitoring,
        version=__version__,
        style=Markup(style),
        style_hash=base64.b64encode(hashlib.sha256(style.encode()).digest()).decode(),
        curves=[("Over periods", draw_curves(periods)), ("Over runs", draw_curves(runs))],
        width=_WIDTH,
        height=_HEIGHT,
    )
    return text


def _list_values(part: Monitoring) -> dict[str, float]:
    return {f"{each.name} {each.of}".strip(): each.value for each in part.all_figures}


def draw_curves(moments: Sequence[tuple[str, Mapping[str, float]]]) -> list[Curve]:
    """Return the figures that two moments or more have, as curves."""
    curves = []
    for name in _LINES:
        known = [(when, figures[name]) for when, figures in moments if name in figures]
        if len(known) > 1:
            values = [value for _, value in known]
            least, most = min(values), max(values)
            step, span = _WIDTH / (len(values) - 1), (most - least) or 1.0
            points = [(i * step, _HEIGHT * (1 - (value - least) / span)) for i, value in enumerate(values)]
            curves.append(Curve(name, tuple(points), least, most, known[0][0], known[-1][0]))
    return curves


def _interval(figure: Figure) -> str:
    if figure.spread is None:
        return interval_text(figure.interval)
    low, high = figure.interval
    return f"[{low:.3g} to {high:.3g}]"
