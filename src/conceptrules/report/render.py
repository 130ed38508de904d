"""The report as one HTML file: nothing in it loads anything, and no name in it is read as anything but text."""

from __future__ import annotations

import base64
import hashlib
from functools import cache
from importlib.resources import files
from typing import Any

from jinja2 import DictLoader, Environment, StrictUndefined
from markupsafe import Markup

from conceptrules import __version__
from conceptrules.draw.appearance import PALETTES, assign_colours
from conceptrules.draw.layout import lay_out
from conceptrules.draw.svg import network_svg, stylesheet
from conceptrules.export.code.languages import javascript
from conceptrules.model.precision import interval_text
from conceptrules.model.predicate import printable
from conceptrules.model.text import percent, plural, word
from conceptrules.report.collect import Report
from conceptrules.report.payload import payload
from conceptrules.report.rule_list import count_by_stability, find_unstable_rules, list_rules
from conceptrules.report.sentences import describe_source, describe_tuning, find_reliability, join_names, judge_fairness


def render(report: Report) -> str:
    """Return the whole HTML file."""
    script = "\n".join([javascript(report.network), _read_file("counterfactual.js"), _read_file("page.js")])
    style = _read_file("style.css") + _column_colours() + stylesheet()
    numbers = {column.name: number for number, column in enumerate(report.network.columns)}
    drawing = lay_out(report.network)
    items = list_rules(report.groups)
    training, scores = report.audit.training, report.audit.scores
    text: str = _template().render(
        report=report,
        network=report.network,
        audit=report.audit,
        version=__version__,
        policy=_security_policy(script, style),
        script=Markup(script),
        style=Markup(style),
        model=Markup(payload(report)),
        drawing=Markup(network_svg(drawing, style=False).text),
        below=[group for group in report.groups if group.id.startswith("concept")],
        drawn={name for mark in drawing.marks for name in (mark.node.id, *mark.node.stands_for)},
        rule_count=sum(len(level.rules) for level in report.network.levels),
        fairness=judge_fairness(report.audit),
        source=describe_source(training.validation if training else None),
        tuned=describe_tuning(training) if training else "",
        reliability=find_reliability(report.audit),
        stability=count_by_stability(items),
        shaky=find_unstable_rules(items),
        wrong=scores.rows - sum(scores.confusion[i][i] for i in range(len(scores.confusion))) if scores else 0,
        colours={numbers[name]: key for name, key in assign_colours(report.network).items()},
    )
    return text.lstrip()


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


@cache
def _template() -> Any:
    parts = {name: _read_file(f"{name}.html.jinja") for name in ("template", "audit")}
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
    }
    environment.globals |= {"plural": plural, "zip": zip}
    return environment.get_template("template")
