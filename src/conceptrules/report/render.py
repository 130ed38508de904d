"""The report as one HTML file: nothing in it loads anything, and no name in it is read as anything but text."""

from __future__ import annotations

import base64
import hashlib
import math
from functools import cache, partial
from importlib.resources import files
from itertools import chain
from typing import Any

from jinja2 import DictLoader, Environment, StrictUndefined
from markupsafe import Markup

from conceptrules import __version__
from conceptrules.draw.appearance import PALETTES, assign_colours
from conceptrules.draw.layout import lay_out
from conceptrules.draw.svg import network_svg, stylesheet
from conceptrules.export.code.languages import javascript
from conceptrules.model.card import Card, chance_text
from conceptrules.model.precision import interval_text
from conceptrules.model.predicate import printable
from conceptrules.model.text import concept_sections, percent, plural, word
from conceptrules.model.values import order_classes
from conceptrules.report.charts import chart_svg, is_used, list_cutoffs
from conceptrules.report.collect import Report
from conceptrules.report.payload import payload
from conceptrules.report.rule_list import count_by_stability, find_unstable_rules, list_rules
from conceptrules.report.sentences import describe_source, describe_tuning, find_reliability, join_names, judge_fairness


def render(report: Report) -> str:
    """Return the whole HTML file."""
    scripts = ("cells", "page", *(("counterfactual", "decision") if report.kind == "decision" else ("card",)))
    script = "\n".join([javascript(report.network), *(_read_file(f"{name}.js") for name in scripts)])
    style = _read_file("style.css") + _column_colours() + stylesheet()
    numbers = {column.name: number for number, column in enumerate(report.network.columns)}
    drawing = lay_out(report.network) if report.kind == "decision" else None
    items = list_rules(report.groups)
    training, scores = report.audit.training, report.audit.scores
    head = report.network.head
    text: str = _template(head.step if head and head.link == "identity" else None).render(
        report=report,
        network=report.network,
        classes=order_classes(report.network.priority or report.network.classes),
        audit=report.audit,
        version=__version__,
        policy=_security_policy(script, style),
        script=Markup(script),
        style=Markup(style),
        model=Markup(payload(report)),
        drawing=Markup(network_svg(drawing, style=False).text if drawing else ""),
        below=[group for group in report.groups if group.id.startswith("concept")],
        drawn={name for mark in drawing.marks for name in (mark.node.id, *mark.node.stands_for)} if drawing else set(),
        rule_count=sum(len(level.rules) for level in report.network.levels),
        fairness=judge_fairness(report.audit),
        source=describe_source(training.validation if training else None),
        tuned=describe_tuning(report.network, training) if training else "",
        reliability=find_reliability(report.audit),
        stability=count_by_stability(items),
        shaky=find_unstable_rules(items),
        most_points=_find_most_points(report.card) if report.card else 0,
        concepts="\n\n".join(concept_sections(report.network)) if report.card else "",
        charts=[(chart, Markup(chart_svg(chart))) for chart in report.charts],
        cutoffs=list_cutoffs(scores) if scores else [],
        wrong=scores.rows - sum(scores.confusion[i][i] for i in range(len(scores.confusion))) if scores else 0,
        colours={numbers[name]: key for name, key in assign_colours(report.network).items()},
    )
    return text.lstrip()


def _find_most_points(card: Card) -> int:
    """Return the points that the longest bar stands for."""
    lines = [*chain.from_iterable(card.groups), *card.mixed]
    return max((abs(points) for line in lines for points in line.points), default=0) or 1


def _column_colours() -> str:
    """Return the colours of the columns, as in the drawing."""
    light, dark = (
        "\n".join(f".k{key} {{ --column: {colour}; }}" for key, colour in enumerate(PALETTES[theme]))
        for theme in ("light", "dark")
    )
    return f"{light}\n@media screen and (prefers-color-scheme: dark) {{\n{dark}\n}}\n"


def _security_policy(script: str, style: str) -> str:
    """Return a policy by which only this very script and style run, and nothing is ever fetched, sent or framed."""
    return (
        f"default-src 'none'; script-src 'sha256-{_hash(script)}'; style-src 'sha256-{_hash(style)}'; "
        "base-uri 'none'; form-action 'none'"
    )


def _hash(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _read_file(name: str) -> str:
    return files("conceptrules.report").joinpath(name).read_text(encoding="utf-8")


def _figure(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"


def _error_text(step: float | None, error: float, sign: str = "") -> str:
    """Return an error with a digit more than the step of the predictions has, or four digits where there is no step.

    >>> _error_text(0.5, 2.92583), _error_text(2000.0, 48123.4), _error_text(None, -0.0041237, "+")
    ('2.93', '48,123', '-0.004124')
    """
    digits = None if step is None else max(0, 1 - math.floor(math.log10(step)))
    return f"{error:{sign},.4g}" if digits is None or digits > 9 else f"{error:{sign},.{digits}f}"


@cache
def _template(step: float | None) -> Any:
    parts = {name: _read_file(f"{name}.html.jinja") for name in ("template", "rules", "card", "try", "audit")}
    environment = Environment(
        loader=DictLoader(parts), autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters |= {
        "shown": printable,
        "word": word,
        "percent": percent,
        "interval": interval_text,
        "listed": join_names,
        "figure": _figure,
        "error": partial(_error_text, step),
    }
    environment.globals |= {"plural": plural, "zip": zip, "chance": chance_text, "is_used": is_used}
    return environment.get_template("template")
