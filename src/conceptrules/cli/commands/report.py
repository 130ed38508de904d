"""The report command: reads what it is given, writes one HTML file."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from conceptrules.cli import columns
from conceptrules.cli.files import tables as files
from conceptrules.model.errors import InputError
from conceptrules.model.network import RuleNetwork
from conceptrules.model.predicate import shown

if TYPE_CHECKING:
    from conceptrules.cli.files.tables import Source


@dataclass(frozen=True, slots=True)
class Order:
    """What the report is to hold; an empty target or title is for us to find."""

    target: str = ""
    title: str = ""
    include_rows: bool = False


def check(output: str, data: str, order: Order) -> None:
    """Complain before anything is read."""
    if order.include_rows and not data:
        raise InputError("--include-rows puts rows of a table into the report; name the table after the model")
    if order.target and not data:
        raise InputError("--target is a column of a table; name the table after the model")
    if output != files.STREAM:
        if not output.lower().endswith((".html", ".htm")):
            raise InputError(f"-o {output}: a report is HTML, name it for example report.html")
        files.check_output(output)


def write(network: RuleNetwork, source: Source | None, output: str, order: Order) -> None:
    from conceptrules.report import report, write_report

    X, y, title = _rows(network, source, order)
    if output == files.STREAM:
        html = report(network, X, y, title=title, include_rows=order.include_rows)
        sys.stdout.buffer.write(html.encode())
        sys.stdout.buffer.flush()
        return
    with files.naming(output):
        write_report(network, X, y, output, title=title, include_rows=order.include_rows)


def _rows(network: RuleNetwork, source: Source | None, order: Order) -> tuple[Any, Any, str]:
    from conceptrules.report.collect import TITLE

    if source is None:
        return None, None, order.title or TITLE
    X, y = columns.labelled(source, order.target, network)
    target = order.target or columns.default_target(source, network)
    return X, y, order.title or f"Predicting {shown(target)}"
