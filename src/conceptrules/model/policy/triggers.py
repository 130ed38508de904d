"""Triggers: the figures of new rows at which a model in use has to be looked at again."""

from __future__ import annotations

import difflib
import re
from dataclasses import dataclass, field
from typing import Literal as Choice
from typing import get_args

from conceptrules.model.errors import InputError

Within = Choice["all", "groups", "periods"]
FIGURES = {
    "psi": "the population stability index of scores and answers",
    "csi": "the stability index of a used column",
    "rule_psi": "the stability index of how often a rule holds",
    "holds": "the share of rows on which a rule holds",
    "precision": "the share of a rule's class among the rows on which it holds",
    "accuracy": "the share of right answers",
    "auc": "the area under the ROC curve, of two classes",
    "calibration": "the mean difference between the stated probability and the share that was right",
    "mae": "the mean absolute error of predicted numbers",
    "bias": "how much too high predicted numbers are on average",
    "default": "the share of rows on which no class fires",
    "conflict": "the share of rows on which several classes fire",
    "abstained": "the share of rows on which not exactly one class fires",
    "missing": "the share of missing values of a used column",
    "unseen": "the share of unknown categories of a used column",
}
"""The figures that triggers know, and what they are."""
_FORM = re.compile(r"\s*(\w+)\s*([<>])\s*([-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)\s*")


@dataclass(frozen=True, slots=True)
class Trigger:
    """A figure of monitoring with a bound, and how sure it has to be that the figure is beyond it.

    Raises
    ------
    InputError
        If it cannot be read, or there is no such figure.

    Examples
    --------
    >>> Trigger("psi > 0.25").figure
    'psi'
    """

    when: str
    """The figure and its bound: `psi > 0.25`, `precision < 0.8`."""
    confidence: float = 0.95
    """It fires where the one-sided bound of the figure of this confidence is beyond the bound, too."""
    of: str = ""
    """The rule, by its words, or the column that it is about; by default each of them."""
    within: Within = "all"
    """Whether it is judged on all rows, or on those of each group or period."""
    figure: str = field(init=False)
    """The figure."""
    above: bool = field(init=False)
    """Whether it fires above the bound; otherwise below it."""
    bound: float = field(init=False)
    """The bound."""

    def __post_init__(self) -> None:
        form = _FORM.fullmatch(self.when) if isinstance(self.when, str) else None
        if form is None:
            raise InputError(f"monitor: {self.when!r} cannot be read; write a figure and a bound, when = 'psi > 0.25'")
        name, sign, bound = form.groups()
        if name not in FIGURES:
            near = difflib.get_close_matches(name, FIGURES, n=1)
            hint = f"did you mean {near[0]!r}?" if near else f"there are {', '.join(FIGURES)}"
            raise InputError(f"monitor: there is no figure {name!r}; {hint}")
        sure = self.confidence
        if not isinstance(sure, int | float) or isinstance(sure, bool) or not 0.5 <= sure < 1:
            raise InputError(f"monitor: confidence must be a number from 0.5 to below 1, found {sure!r}")
        if not isinstance(self.of, str):
            raise InputError(f"monitor: of must be a rule or a column in quotes, found {self.of!r}")
        if self.within not in get_args(Within):
            raise InputError(f"monitor: within must be 'all', 'groups' or 'periods', found {self.within!r}")
        object.__setattr__(self, "figure", name)
        object.__setattr__(self, "above", sign == ">")
        object.__setattr__(self, "bound", float(bound))
