"""The report: a network as one HTML file that says what it does, how well, and how far to trust it.

`collect` gathers everything as one value, `render` fills the template with it; `counterfactual.js` and `page.js` make
the page work, and the JavaScript export decides in it.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from conceptrules.io.whole_file import check_place, write_whole
from conceptrules.model.network import RuleNetwork
from conceptrules.report.collect import TITLE, check_arguments, collect
from conceptrules.report.render import render


def report(
    network: RuleNetwork,
    X: Any = None,
    y: Any = None,
    *,
    title: str = TITLE,
    include_rows: bool = False,
    by: Sequence[str] = (),
) -> str:
    """Return the report of a network as an HTML document that loads nothing and sends nothing.

    `X` and `y` are rows to test the network on, best ones that it was not learned from, and their classes; without
    rows, the report has no scores. Only with `include_rows` are some of them in the file, to start from.
    The audit scores each group of the columns `by`.
    """
    return render(collect(network, X, y, title=title, include_rows=include_rows, by=by))


def write_report(
    network: RuleNetwork,
    X: Any,
    y: Any,
    path: str | os.PathLike[str],
    *,
    title: str = TITLE,
    include_rows: bool = False,
    by: Sequence[str] = (),
) -> None:
    """Write the report of a network to a file, which appears whole or not at all."""
    check_arguments(X, y, include_rows)
    check_place(path)
    write_whole(report(network, X, y, title=title, include_rows=include_rows, by=by).encode("utf-8"), path)
