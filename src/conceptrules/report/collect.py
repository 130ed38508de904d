"""All that the report says, as one value."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from conceptrules.explain.auditing import Audit, audit
from conceptrules.explain.measurement import index_labels, measure
from conceptrules.logic.canonical import drop_unused_predicates
from conceptrules.model.card import Card, points_of, read_card
from conceptrules.model.content_hash import content_hash
from conceptrules.model.errors import InputError
from conceptrules.model.network import RuleNetwork
from conceptrules.model.predicate import Value
from conceptrules.model.provenance import VerdictRecord
from conceptrules.model.trail import head_of
from conceptrules.model.values import label_text
from conceptrules.report.charts import Chart, class_charts, number_charts
from conceptrules.report.form import Field, Sample, form_fields, make_up_samples, pick_real_samples
from conceptrules.report.rule_list import Group, group_rules
from conceptrules.report.sentences import three_sentences
from conceptrules.tables import prediction
from conceptrules.tables.table import Table, open_table

TITLE = "A concept rule set"
Kind = Literal["decision", "classes", "number"]
"""What the network answers by: the priority of its classes, or points for classes or a number."""


@dataclass(frozen=True, slots=True)
class Report:
    """The network, and what there is to say about it."""

    title: str
    network: RuleNetwork
    """The network, with no columns but those that its rules ask about."""
    hash: str
    """The content hash of the whole network."""
    sentences: tuple[str, str, str]
    fields: tuple[Field, ...]
    groups: tuple[Group, ...]
    samples: tuple[Sample, ...]
    audit: Audit
    real_rows: bool
    """Whether the samples are rows of the table."""
    verdicts: tuple[VerdictRecord, ...] = ()
    """What was proved of each clause of the network's policy."""
    head: str | None = None
    """The hash of the last entry of the network's trail, if it was edited."""
    card: Card | None = None
    """The card of a network with points, with what its rules cover of the rows of the report, or else of training."""
    charts: tuple[Chart, ...] = ()
    """How good the points are on the rows of the report."""

    @property
    def kind(self) -> Kind:
        """What the network answers by; the parts of the page follow from it."""
        return "decision" if self.card is None else "classes" if self.network.classes else "number"


def collect(
    network: RuleNetwork,
    X: Any = None,
    y: Any = None,
    *,
    title: str = TITLE,
    include_rows: bool = False,
    by: Sequence[str] = (),
) -> Report:
    """Collect what there is to say about a network, on these rows if there are any."""
    check_arguments(X, y, include_rows)
    used = keep_used_columns(network)
    fields = form_fields(used)
    measured, charts, samples = None, [], make_up_samples(used, fields)
    if X is None:
        audited = audit(network, by=by)
    else:
        table = open_table(X)
        labels = _check_labels(table, y)
        audited, measured = audit(network, table, labels, by=by), _measure(network, table, labels)
        charts = _chart(network, table, audited, labels)
        samples = pick_real_samples(network, fields, table, labels) if include_rows else samples
    statistics = None if measured is None else measured.statistics
    return Report(
        title=title,
        network=used,
        hash=content_hash(network),
        sentences=three_sentences(network, audited),
        fields=fields,
        groups=group_rules(used, statistics),
        samples=samples,
        audit=audited,
        real_rows=include_rows,
        verdicts=_list_verdicts(network),
        head=head_of(network),
        card=None if network.head is None else read_card(measured or network),
        charts=tuple(charts),
    )


def _chart(network: RuleNetwork, table: Table, audited: Audit, labels: Sequence[Value]) -> list[Chart]:
    """Return what the points of a scorecard do on the rows; nothing of other networks."""
    if audited.numbers is not None:
        return list(number_charts(audited.numbers, network.target or "the number"))
    if network.head is None or audited.scores is None:
        return []
    cutoff = points_of(network).cutoff if len(network.classes) == 2 else None
    _, target = index_labels(network, labels, table.rows)
    return list(class_charts(audited.scores, cutoff, prediction.predict_proba(network, table), target))


def keep_used_columns(network: RuleNetwork) -> RuleNetwork:
    """Return the network with no columns and predicates but those that its rules ask about; there may be thousands.

    Those that others are worked out from stay, too; they all come first.
    """
    return replace(drop_unused_predicates(network), columns=(*network.asked_columns, *network.asked_derived))


def _list_verdicts(network: RuleNetwork) -> tuple[VerdictRecord, ...]:
    """Return the verdicts on the network's policy; those on other rules do not count."""
    if network.policy is None:
        return ()
    if network.proof is not None and network.proof.hash == content_hash(network):
        return network.proof.verdicts
    unknown = "undecided", "not proved of these rules yet; conceptrules prove does it"
    return tuple(VerdictRecord(clause.name, clause.text, *unknown) for clause in network.policy.clauses)


def check_arguments(X: Any, y: Any, include_rows: bool) -> None:
    """Raise if rows and classes do not come together, or rows are asked for without any."""
    if (X is None) != (y is None):
        raise InputError("a report needs the rows and their classes or numbers: give both X and y, or neither")
    if include_rows and X is None:
        raise InputError("include_rows asks for rows of the data in the file, but no data are given")


def _check_labels(table: Table, y: Any) -> list[Value]:
    labels: list[Value] = np.asarray(y).tolist() if not isinstance(y, list) else list(y)
    if len(labels) != table.rows:
        raise InputError(f"y has {len(labels)} labels for the {table.rows} rows of X")
    if not labels:
        raise InputError("X has no rows; leave X and y out for a report without scores")
    return labels


def _measure(network: RuleNetwork, table: Table, labels: Sequence[Value]) -> RuleNetwork | None:
    """Return the network with what its rules cover on these rows, without rows of classes that it does not know."""
    classes = {label_text(name) for name in network.classes}
    if classes and not any(label_text(label) in classes for label in labels):
        return None
    return measure(network, table, labels)
