"""The report: a network as one HTML file that says what it does, how well, and how far to trust it.

`collect` gathers everything as one value, `render` fills the template with it; `counterfactual.js` and `page.js` make
the page work, and the JavaScript export decides in it.
"""

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
    """Return the report of a network as HTML.

    Parameters
    ----------
    network : RuleNetwork
        The network.
    X : table, optional
        Rows to test the network on, best ones that it was not learned from. Without rows, the report has no scores.
    y : array-like, optional
        The true class of each row of `X`.
    title : str, default="A concept rule set"
        The heading.
    include_rows : bool, default=False
        Whether to put some rows of `X` into the file, right and wrong ones, to start from. Without it, the file holds
        no row of the data.

    Returns
    -------
    str
        An HTML document that loads nothing and sends nothing.

    Raises
    ------
    InputError
        If only one of `X` and `y` is given, or rows are asked for and there are none.
    """
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
    """Write the report of a network to a file, which appears whole or not at all.

    Parameters
    ----------
    network : RuleNetwork
        The network.
    X : table or None
        Rows to test the network on, best ones that it was not learned from.
    y : array-like or None
        The true class of each row of `X`.
    path : str or os.PathLike
        The HTML file.
    title : str, default="A concept rule set"
        The heading.
    include_rows : bool, default=False
        Whether to put some rows of `X` into the file, right and wrong ones, to start from.

    Raises
    ------
    InputError
        If only one of `X` and `y` is given, rows are asked for and there are none, or the folder does not exist.
    """
    check(X, y, include_rows)
    check_place(path)
    write_whole(report(network, X, y, title=title, include_rows=include_rows).encode("utf-8"), path)
