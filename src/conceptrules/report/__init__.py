"""NETWORK -> ONE HTML FILE that says what it does, how well, and how far to trust it."""

from __future__ import annotations

import os
from typing import Any

from conceptrules.io.whole_file import check_place, write_whole
from conceptrules.model.network import RuleNetwork
from conceptrules.report.collect import TITLE, check, collect
from conceptrules.report.render import render


def report(
    network: RuleNetwork, X: Any = None, y: Any = None, *, title: str = TITLE, include_rows: bool = False
) -> str:
    """The report as HTML: of the network alone, or with its scores on these rows."""
    return render(collect(network, X, y, title=title, include_rows=include_rows))


def write_report(
    network: RuleNetwork,
    X: Any,
    y: Any,
    path: str | os.PathLike[str],
    *,
    title: str = TITLE,
    include_rows: bool = False,
) -> None:
    """The report as a file, which appears whole or not at all."""
    check(X, y, include_rows)
    check_place(path)
    write_whole(report(network, X, y, title=title, include_rows=include_rows).encode("utf-8"), path)
