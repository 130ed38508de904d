"""From counts to the value: new rows against training, or against a reference."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from math import sqrt

import numpy as np

from conceptrules.model.content_hash import content_hash
from conceptrules.model.evaluation import decide_fired
from conceptrules.model.network import Cell, RuleNetwork, Statistics
from conceptrules.model.policy.triggers import Trigger
from conceptrules.model.predicate import Predicate
from conceptrules.model.scoring import answer_scores
from conceptrules.model.statistics import group_scores, probabilities
from conceptrules.model.text import decided_rows, rule_name, rule_text, word
from conceptrules.monitor.figures import Figure, area_under_curve, stability_index
from conceptrules.monitor.judging import check_subjects, judge_triggers
from conceptrules.monitor.monitoring import Monitoring, RuleDrift, Shift
from conceptrules.monitor.tally import NO_ROWS, Counts, Tally
from conceptrules.monitor.wording import (
    accuracy_text,
    cell_text,
    explain_change,
    list_changes,
    pattern_text,
    score_text,
)

_SCORE_BINS = 10
_EDITED = (
    "the model has no counts from training, since its rules were edited or written by hand; give a reference, or count "
    "them anew with `measure`"
)


def trained_tally(network: RuleNetwork) -> Tally:
    """Return the counts of training that the network keeps."""
    known = network.statistics
    return NO_ROWS if known is None else Tally(round(sum(known.rows)) or 1, known, labelled=True)


def compare_counts(
    network: RuleNetwork, reference: Tally | None, counts: Counts, triggers: Sequence[Trigger] = ()
) -> Monitoring:
    """Return what became of a network on the rows that were counted."""
    comparison = Comparison(network, trained_tally(network) if reference is None else reference, reference is not None)
    check_subjects(network, triggers)
    groups, periods = (
        tuple((name, comparison.describe(parts[name])) for name in sorted(parts, key=_order_part))
        for parts in (counts.groups, counts.periods)
    )
    whole = replace(comparison.describe(counts.total), groups=groups, periods=periods)
    return judge_triggers(network, whole, triggers)


def _order_part(name: str) -> tuple[bool, float, str]:
    """Return what groups and periods are sorted by: numbers by their value, before text."""
    try:
        return False, float(name), name
    except ValueError:
        return True, 0.0, name


@dataclass(frozen=True, slots=True)
class Comparison:
    """What new rows are compared with."""

    network: RuleNetwork
    trained: Tally
    given: bool
    """Whether it was counted on a reference; otherwise it is what the network keeps of training."""

    def describe(self, new: Tally) -> Monitoring:
        """Return what became of the network on new rows."""
        shifts = (*self._answer_shifts(new), *sorted(self._column_shifts(new), key=lambda each: -each.index.value))
        rules, figures = tuple(self._rules(new)), tuple(self._figures(new))
        known = self.trained.statistics is not None
        basis = "nothing" if not known else "reference" if self.given else "training"
        accuracy = next((each for each in figures if each.name == "accuracy" and each.trained is not None), None)
        changes = list(list_changes(rules, shifts, basis))
        if accuracy is not None and self.trained.statistics:
            sides = ((accuracy.trained or 0.0, sum(self.trained.statistics.rows)), (accuracy.value, accuracy.rows))
            index = stability_index("accuracy", "", *([share * rows, (1 - share) * rows] for share, rows in sides))
            changes += [(index.value, accuracy_text(accuracy, basis))] if index.changed else []
        return Monitoring(
            hash=content_hash(self.network),
            rows=new.rows,
            basis=basis,
            trained_rows=sum(self.trained.statistics.rows) if self.trained.statistics else 0.0,
            labelled=new.labelled,
            rules=rules,
            shifts=shifts,
            figures=figures,
            changes=tuple(text for _, text in sorted(changes, key=lambda pair: -pair[0])),
            notes=tuple(self._notes(new)),
        )

    def _notes(self, new: Tally) -> Iterator[str]:
        if self.trained.statistics is None:
            yield _EDITED
        elif not self.trained.statistics.cells and self.network.used_columns:
            yield "the model says nothing of the values of columns in training; give a reference, or measure it again"
        by_class = new.statistics.rows if new.labelled and new.statistics else ()
        if sum(rows > 0 for rows in by_class) == 1 < len(by_class):
            yield "all labels are of one class, so there is no AUC"

    # Rules

    def _rules(self, new: Tally) -> Iterator[RuleDrift]:
        assert new.statistics is not None
        for level, nodes in enumerate(self.network.levels):
            for rule in range(len(nodes.rules)):
                yield self._describe_rule(new, new.statistics, level, rule)

    def _describe_rule(self, new: Tally, counted: Statistics, level: int, rule: int) -> RuleDrift:
        network, before = self.network, self.trained.statistics
        text = rule_text(network, level, rule)
        kind = self.class_of(level, rule)
        rows = counted.covered[level][rule]
        old = before.covered[level][rule] if before else None
        total, covered = sum(counted.rows), sum(rows)
        holds = Figure("holds", text, covered / total, total, trained=_share(old, before))
        index = precision_index = None
        if old and before:
            pair = ([sum(old), sum(before.rows) - sum(old)], [covered, total - covered])
            index = stability_index("rule_psi", text, *pair)
        precision = None
        if new.labelled and kind is not None and covered:
            trained = old[kind] / sum(old) if old and sum(old) and self.trained.labelled else None
            precision = Figure("precision", text, rows[kind] / covered, covered, trained=trained)
            if old and trained is not None:
                sides = [old[kind], sum(old) - old[kind]], [rows[kind], covered - rows[kind]]
                precision_index = stability_index("precision_index", text, *sides)
        why = ""
        if index is not None and index.changed and before:
            more = holds.value > (holds.trained or 0)
            why = explain_change(network, level, rule, before.cells, counted.cells, more)
        errors = new.errors[1 + rule] if new.errors and level == len(network.levels) - 1 else ()
        return RuleDrift(
            name=rule_name(level, rule),
            text=text,
            speaks_for=self._purpose(level, rule),
            holds=holds,
            decides=self._decides(counted, level, rule, kind, text),
            index=index,
            precision=precision,
            precision_index=precision_index,
            bias=_bias(text, errors) if errors and errors[0] else None,
            why=why,
        )

    def class_of(self, level: int, rule: int) -> int | None:
        """Return the index of the class that a rule is for; None where it is for none."""
        network = self.network
        if level < len(network.levels) - 1 or not network.classes:
            return None
        if network.head is None:
            concepts = network.levels[level].concepts
            return next((kind for kind, concept in enumerate(concepts) if rule in concept.rules), None)
        points = network.head.points[rule]
        if len(points) == 1:
            return int(points[0] > 0)
        return int(np.argmax(points)) if max(points) > 0 else None  # it speaks against a class, for no other

    def _purpose(self, level: int, rule: int) -> str:
        network = self.network
        if level < len(network.levels) - 1:
            return f"level {level + 1}"
        if network.head is not None:
            return f"{', '.join(f'{points:+d}' for points in network.head.points[rule])} points"
        kind = self.class_of(level, rule)
        return "" if kind is None else word(network.classes[kind])

    def _decides(self, counted: Statistics, level: int, rule: int, kind: int | None, text: str) -> Figure | None:
        network = self.network
        if network.head is not None or kind is None:
            return None
        new = decided_rows(replace(network, statistics=counted), kind, rule)
        before = self.trained.statistics
        old = decided_rows(replace(network, statistics=before), kind, rule) if before else None
        total = sum(counted.rows)
        return Figure("decides", text, sum(new or ()) / total, total, trained=_share(old, before))

    # Distributions

    def _answer_shifts(self, new: Tally) -> Iterator[Shift]:
        """Yield how scores, answers and the classes that fire are distributed."""
        before, now, network = self.trained.statistics, new.statistics, self.network
        if before is None or now is None:
            return
        if before.scores:
            groups = group_trained_scores(before)
            edges = [score for score, _ in groups]
            rows = [0.0] * len(groups)
            for score, weights in now.scores:
                rows[min(int(np.searchsorted(edges, score)), len(groups) - 1)] += sum(weights)
            texts = [score_text(*ends) for ends in pairwise([None, *edges[:-1], None])]
            yield _shift("psi", "scores", texts, [sum(weights) for _, weights in groups], rows)
        answers = count_answers(network, before), count_answers(network, now)
        if answers[0] and answers[1]:
            yield _shift("psi", "answers", [word(label) for label in network.classes], *answers)
        if before.patterns and now.patterns:
            kinds = sorted({kind for kind, _ in (*before.patterns, *now.patterns)})
            tables = [dict(each.patterns) for each in (before, now)]
            rows_of = [[sum(table.get(kind, ())) for kind in kinds] for table in tables]
            yield _shift("psi", "classes that fire", [pattern_text(network, kind) for kind in kinds], *rows_of)

    def _column_shifts(self, new: Tally) -> Iterator[Shift]:
        before, now = self.trained.statistics, new.statistics
        if before is None or now is None or not before.cells:
            return
        for name in self.network.used_columns:
            tables = [
                self.merge_cells(name, [cell for cell in each.cells if cell.column == name]) for each in (before, now)
            ]
            keys = sorted({key for table in tables for key in table}, key=lambda key: (key[1], repr(key[0])))
            texts = [cell_text(self.network, Cell(name, *key, 0.0)) for key in keys]
            yield _shift("csi", name, texts, *([table.get(key, 0.0) for key in keys] for table in tables))

    def merge_cells(self, name: str, cells: Sequence[Cell]) -> dict[tuple[tuple[Predicate, ...], bool], float]:
        """Return the rows of the cells of a column; gaps are not set apart where nobody counted those of training."""
        table: dict[tuple[tuple[Predicate, ...], bool], float] = {}
        for cell in cells:
            key = cell.holds, cell.gap and self.knows_gaps(name)
            table[key] = table.get(key, 0.0) + cell.rows
        return table

    def knows_gaps(self, name: str) -> bool:
        """Return whether the gaps of a column in training were counted."""
        if self.given:
            return True
        column = next(each for each in self.network.columns if each.name == name)
        training = self.network.training
        dropped = name in dict(training.categories_dropped) if training else False
        assert self.trained.statistics is not None
        counted = any(cell.gap for cell in self.trained.statistics.cells if cell.column == name)
        return counted or not (column.missing or dropped)

    # Figures

    def _figures(self, new: Tally) -> Iterator[Figure]:
        network, now = self.network, new.statistics
        assert now is not None
        sources = [self.trained, new]
        if network.head is None:
            for name, firing in (("default", (0,)), ("conflict", (2,)), ("abstained", (0, 2))):
                first, second = (_pattern_share(each.statistics, firing) for each in sources)
                if second is not None:
                    yield Figure(name, "", second, new.rows, trained=first)
        if new.labelled:
            yield from self._labelled_figures(new)
        for name in network.used_columns:
            for kind, counts in (("missing", new.missing), ("unseen", new.unseen)):
                yield Figure(kind, name, counts[name] / new.rows, new.rows, trained=self._trained_gaps(kind, name))

    def _labelled_figures(self, new: Tally) -> Iterator[Figure]:
        if new.errors:
            rows, _, absolute, squared = new.errors[0]
            yield Figure("mae", "", absolute / rows, rows, _error(absolute, squared, rows))
            yield _bias("", new.errors[0])
            return
        right, before = self._right(new), self._right(self.trained) if self.trained.labelled else None
        if right is not None:
            yield Figure("accuracy", "", right, new.rows, trained=before)
        area, old = self._area(new), self._area(self.trained) if self.trained.labelled else None
        if area is not None:
            yield Figure("auc", "", area[0], new.rows, area[1], trained=old and old[0])
        if new.calibration:
            gaps = [(bin_.stated - bin_.right, bin_.right, bin_.rows) for bin_ in new.calibration]
            error = sum(abs(gap) * rows for gap, _, rows in gaps) / new.rows
            spread = sqrt(sum(rows * right * (1 - right) for _, right, rows in gaps)) / new.rows
            # The mean of |normal| is sqrt(2 / pi) of its standard deviation, bin by bin.
            chance = sum(sqrt(2 / np.pi * rows * right * (1 - right)) for _, right, rows in gaps) / new.rows
            yield Figure("calibration", "", error, new.rows, spread, chance)

    def _right(self, tally: Tally) -> float | None:
        """Return the share of right answers."""
        if tally.statistics is None:
            return None
        answers = _answer_counted_rows(self.network, tally.statistics)
        if answers is not None:
            return float(sum(rows[answer] for answer, rows in answers) / sum(tally.statistics.rows))
        return sum(bin_.right * bin_.rows for bin_ in tally.calibration) / tally.rows if tally.calibration else None

    def _area(self, tally: Tally) -> tuple[float, float] | None:
        """Return the AUC of the second class of two and its standard error."""
        counted, network = tally.statistics, self.network
        if counted is None or len(network.classes) != 2 or not all(counted.rows):
            return None
        if network.head is not None:
            ranked = [(float(score), rows) for score, rows in counted.scores]
        elif network.statistics is None:
            return None
        else:
            kinds = np.array([kind for kind, _ in counted.patterns], np.bool_)
            stated = probabilities(network, kinds)[:, 1].tolist()
            ranked = list(zip(stated, (rows for _, rows in counted.patterns), strict=True))
        return area_under_curve(
            [score for score, _ in ranked], [rows[0] for _, rows in ranked], [rows[1] for _, rows in ranked]
        )

    def _trained_gaps(self, kind: str, name: str) -> float | None:
        """Return the share of missing or unknown values in training; None where nobody counted it."""
        trained = self.trained
        if trained.statistics is None:
            return None
        if self.given:
            return (trained.missing if kind == "missing" else trained.unseen)[name] / trained.rows
        column = next(each for each in self.network.columns if each.name == name)
        cells = [cell for cell in trained.statistics.cells if cell.column == name]
        gaps = sum(cell.rows for cell in cells if cell.gap) / (sum(cell.rows for cell in cells) or 1)
        dropped = self.network.training and name in dict(self.network.training.categories_dropped)
        if kind == "unseen":  # a gap that is not a missing value is a category that was left out
            return None if dropped and column.missing else gaps if dropped else 0.0
        if not column.missing:
            return 0.0
        return gaps if gaps and not dropped else None


def _share(part: tuple[float, ...] | None, before: Statistics | None) -> float | None:
    return None if part is None or before is None else sum(part) / sum(before.rows)


def _shift(name: str, of: str, texts: Sequence[str], trained: Sequence[float], rows: Sequence[float]) -> Shift:
    first, second = sum(trained) or 1.0, sum(rows) or 1.0
    bins = tuple((text, a / first, b / second) for text, a, b in zip(texts, trained, rows, strict=True))
    return Shift(of, stability_index(name, of, trained, rows), bins)


def group_trained_scores(counted: Statistics) -> tuple[tuple[int, tuple[float, ...]], ...]:
    """Return the bins of scores: the largest score of each, and its rows in training."""
    return group_scores(counted.scores, _SCORE_BINS)


def count_answers(network: RuleNetwork, counted: Statistics) -> list[float]:
    """Return the rows that are answered with each class; nothing where that is not known, and of numbers."""
    if counted.answered:
        return list(counted.answered)
    totals = [0.0] * len(network.classes)
    for answer, rows in _answer_counted_rows(network, counted) or ():
        totals[answer] += sum(rows)
    return totals if sum(totals) else []


def _answer_counted_rows(network: RuleNetwork, counted: Statistics) -> list[tuple[int, tuple[float, ...]]] | None:
    """Return the answer to rows that were counted together, and their number by class; None where it is not known."""
    if network.head is None:
        kinds = np.array([kind for kind, _ in counted.patterns], np.bool_).reshape(-1, len(network.classes))
        answers, rows = decide_fired(network, kinds), [rows for _, rows in counted.patterns]
    elif network.classes and counted.scores:
        scores = np.array([[score] for score, _ in counted.scores], np.int64)
        answers, rows = answer_scores(network.head, scores), [rows for _, rows in counted.scores]
    else:
        return None
    return list(zip(answers.tolist(), rows, strict=True))


def _pattern_share(counted: Statistics | None, firing: tuple[int, ...]) -> float | None:
    """Return the share of rows on which so many classes fire; 2 stands for several."""
    if counted is None or not counted.patterns:
        return None
    return sum(sum(rows) for kind, rows in counted.patterns if min(sum(kind), 2) in firing) / sum(counted.rows)


def _error(total: float, squares: float, rows: float) -> float:
    """Return the standard error of a mean."""
    return sqrt(max(squares / rows - (total / rows) ** 2, 0.0) / rows)


def _bias(of: str, sums: tuple[float, ...]) -> Figure:
    rows, errors, _, squares = sums
    return Figure("bias", of, errors / rows, rows, _error(errors, squares, rows))
