"""What became of a network on new rows, as a value: its rules, answers and columns against training."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from conceptrules.model.policy.triggers import Trigger
from conceptrules.model.text import align_columns, plural
from conceptrules.monitor.figures import Figure

_SHOWN = 12  # changes and columns that the text has
_NAMES = {
    "default": "no class fires",
    "conflict": "several classes fire",
    "abstained": "not exactly one class fires",
    "auc": "AUC",
    "calibration": "calibration error",
    "mae": "mean absolute error",
}
_SHARES = {"holds", "precision", "accuracy", "default", "conflict", "abstained", "missing", "unseen"}


@dataclass(frozen=True, slots=True)
class RuleDrift:
    """How often a rule holds, and what it decides."""

    name: str
    """The number of the rule, such as R1.2."""
    text: str
    """The rule in words."""
    speaks_for: str
    """The class that it is for, or its points."""
    holds: Figure
    """The share of rows on which it holds."""
    decides: Figure | None
    """The share of rows that it decides; None of a scorecard."""
    index: Figure | None
    """The stability index of how often it holds; None where training is not known."""
    precision: Figure | None
    """The share of its class among the rows on which it holds; None without labels, and where it holds on none."""
    precision_index: Figure | None
    """The stability index of right and wrong rows."""
    bias: Figure | None
    """Of a predicted number: how much too high it is on these rows, on average."""
    why: str
    """The test that its change comes from, in words."""

    @property
    def figures(self) -> Iterator[Figure]:
        """All of its figures."""
        yield from (each for each in (self.holds, self.index, self.precision, self.bias) if each is not None)


@dataclass(frozen=True, slots=True)
class Shift:
    """How a distribution moved: of answers, scores or the values of a column."""

    of: str
    """What is distributed: "answers", "classes that fire", "scores", or a column."""
    index: Figure
    """The stability index."""
    bins: tuple[tuple[str, float, float], ...]
    """The bins: what they hold, and their share in training and in the new rows."""


@dataclass(frozen=True, slots=True)
class FiredTrigger:
    """A trigger that fired, and the figure that it fired on."""

    trigger: Trigger
    figure: Figure
    part: str = ""
    """The group or period; empty for all rows."""

    def __str__(self) -> str:
        low, high = self.figure.bounds(self.trigger.confidence)
        edge = f"at least {low:.3f}" if self.trigger.above else f"at most {high:.3f}"
        about = f" of {self.figure.of}" if self.figure.of else ""
        where = f" in {self.part}" if self.part else ""
        sure = f"{100 * self.trigger.confidence:g}%"
        return f"{self.trigger.when}:{where} {self.figure.name}{about} is {self.figure.value:.3f}, {edge} ({sure} sure)"


@dataclass(frozen=True, slots=True)
class Monitoring:
    """What became of a network on new rows. `print` shows it as text, `html` as a page, `plain` as values of JSON."""

    hash: str
    """The content hash of the network."""
    rows: int
    """The new rows."""
    basis: str
    """What they are compared with: "training", "reference", or "nothing"."""
    trained_rows: float
    """The weight of the rows that they are compared with."""
    labelled: bool
    """Whether the classes or numbers of the rows are known."""
    rules: tuple[RuleDrift, ...]
    """The rules of the network, level by level."""
    shifts: tuple[Shift, ...]
    """How answers and scores moved, and then the used columns, the largest index first."""
    figures: tuple[Figure, ...]
    """The figures of all rows, and of missing and unknown values by column."""
    changes: tuple[str, ...]
    """What changed more than by chance, in words, the largest index first."""
    notes: tuple[str, ...] = ()
    """What could not be said, and why."""
    groups: tuple[tuple[str, Monitoring], ...] = ()
    """The same of each group."""
    periods: tuple[tuple[str, Monitoring], ...] = ()
    """The same of each period."""
    fired: tuple[FiredTrigger, ...] = ()
    """The triggers that fired."""
    unjudged: tuple[str, ...] = ()
    """The triggers that nothing could be said of, and why."""

    @property
    def main_index(self) -> str:
        """What the main stability index is of: the scores, or else the answers."""
        return next((name for name in ("scores", "answers") if self.figure("psi", name)), "")

    @property
    def all_figures(self) -> Iterator[Figure]:
        """All figures, as triggers look at them."""
        yield from self.figures
        yield from (shift.index for shift in self.shifts)
        for rule in self.rules:
            yield from rule.figures

    def figure(self, name: str, of: str = "") -> Figure | None:
        """Return a figure by its name, and the rule or column that it is about.

        Parameters
        ----------
        name : str
            The name, as triggers have it: "accuracy", "psi".
        of : str, default=""
            The words of a rule, a column, "answers" or "scores"; empty for figures of all rows.

        Returns
        -------
        Figure or None
            The figure; None where it is not known.
        """
        return next((each for each in self.all_figures if (each.name, each.of) == (name, of)), None)

    def plain(self) -> dict[str, Any]:
        """Return everything as values of JSON.

        Returns
        -------
        dict
            Figures with their 95 % intervals, rules, shifts, changes in words, parts and triggers.
        """
        rules = []
        for rule in self.rules:
            own = {name: getattr(rule, name) for name in ("name", "text", "speaks_for", "why")}
            shown = ("holds", "decides", "index", "precision", "bias")
            rules.append(own | {name: _plain_figure(getattr(rule, name)) for name in shown})
        return {
            **{name: getattr(self, name) for name in ("hash", "rows", "basis", "trained_rows", "labelled")},
            "changes": list(self.changes),
            "figures": [_plain_figure(each) for each in self.figures],
            "rules": rules,
            "shifts": [asdict(each) | {"index": _plain_figure(each.index)} for each in self.shifts],
            "notes": list(self.notes),
            "groups": {name: part.plain() for name, part in self.groups},
            "periods": {name: part.plain() for name, part in self.periods},
            "fired": [str(each) for each in self.fired],
            "unjudged": list(self.unjudged),
        }

    def html(self, history: Sequence[Mapping[str, Any]] = ()) -> str:
        """Return everything as one HTML page, which loads nothing.

        Parameters
        ----------
        history : sequence of dict, default=()
            The lines of a history file, for the picture over time.

        Returns
        -------
        str
            The page.
        """
        from conceptrules.monitor.page import render_page

        return render_page(self, history)

    def __str__(self) -> str:
        against = "nothing" if self.basis == "nothing" else f"{plural(self.trained_rows, 'row')} of {self.basis}"
        parts = [f"{plural(self.rows, 'row')} against {against}"]
        parts += ["\n".join(f"FIRED {each}" for each in self.fired)] if self.fired else []
        parts += ["\n".join(self.changes[:_SHOWN]) or "nothing changed more than by chance"] * bool(self.trained_rows)
        if len(self.changes) > _SHOWN:
            parts[-1] += f"\nand {len(self.changes) - _SHOWN} smaller changes"
        basis = "reference" if self.basis == "reference" else "training"
        parts.append(align_columns([["", "rows", "95%", basis], *map(_figure_line, self._shown_figures())]))
        parts.append(align_columns([["rule", "holds", basis, "index", "right", basis], *self._rule_lines()]))
        if self.shifts:
            lines = [[each.of, f"{each.index.value:.3f}", f"{each.index.usual:.2g}"] for each in self.shifts[:_SHOWN]]
            parts.append(align_columns([["stability index", "value", "by chance"], *lines]))
        for title, named in (("group", self.groups), ("period", self.periods)):
            if named:
                parts.append(
                    align_columns([[title, "rows", "psi", "by chance", "accuracy", "AUC"], *map(_part_line, named)])
                )
        notes = [*(f"not judged: {each}" for each in self.unjudged), *self.notes]
        return "\n\n".join([*parts, *(["\n".join(notes)] if notes else [])])

    def _shown_figures(self) -> list[Figure]:
        return [each for each in self.figures if each.value or not each.of]

    def _rule_lines(self) -> Iterator[list[str]]:
        for rule in self.rules:
            right = rule.precision
            yield [
                f"{rule.name} {rule.text} ({rule.speaks_for})",
                f"{rule.holds.value:.1%}",
                "-" if rule.holds.trained is None else f"{rule.holds.trained:.1%}",
                "-" if rule.index is None else f"{rule.index.value:.3f}",
                "-" if right is None else f"{right.value:.1%}",
                "-" if right is None or right.trained is None else f"{right.trained:.1%}",
            ]


def _plain_figure(figure: Figure | None) -> dict[str, Any] | None:
    if figure is None:
        return None
    low, high = figure.interval
    own = {name: getattr(figure, name) for name in ("name", "of", "value", "rows", "trained", "usual")}
    return own | {"low": low, "high": high}


def figure_title(figure: Figure) -> str:
    """Return what a figure is, in words."""
    name = _NAMES.get(figure.name, figure.name)
    return f"{name}: {figure.of}" if figure.of else name


def figure_text(figure: Figure, value: float | None) -> str:
    """Return the value of a figure as text; empty where there is none."""
    if value is None:
        return ""
    return f"{value:.1%}" if figure.name in _SHARES else f"{value:.4g}"


def _figure_line(figure: Figure) -> list[str]:
    low, high = (figure_text(figure, end) for end in figure.interval)
    return [
        figure_title(figure),
        figure_text(figure, figure.value),
        f"{low} to {high}",
        figure_text(figure, figure.trained) or "-",
    ]


def _part_line(part: tuple[str, Monitoring]) -> list[str]:
    name, own = part
    index, right, area = own.figure("psi", own.main_index), own.figure("accuracy"), own.figure("auc")
    values = (index and index.value, index and index.usual, right and right.value, area and area.value)
    return [name, f"{own.rows:,}", *("-" if value is None else f"{value:.3f}" for value in values)]
