"""A session of the studio: a network, rows that show what edits do, and the file that keeps every edit.

A session is a value, and what people do in the studio is a function from session to session. Nothing here knows of a
browser.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from conceptrules.edit.cases import CaseResult, run_cases
from conceptrules.edit.changes import TakeRules, take_rules
from conceptrules.edit.editing import Edited, edit, preview, redo, rewind, sign, undo, with_author
from conceptrules.edit.effects import Effect
from conceptrules.edit.operations import Operation, Recalibrate, SetPolicy
from conceptrules.edit.rules import normalise
from conceptrules.explain.auditing import Audit, audit
from conceptrules.explain.measurement import measure
from conceptrules.logic.difference import Difference, diff
from conceptrules.logic.equivalence import Row, find_difference
from conceptrules.logic.minimisation import minimise
from conceptrules.model.errors import InputError
from conceptrules.model.network import RuleNetwork
from conceptrules.model.policy import Policy, Signatures
from conceptrules.model.policy.plain import to_plain
from conceptrules.model.predicate import Value
from conceptrules.model.provenance import without_rule_figures
from conceptrules.model.rule_reader import read_rule, text_of_tests
from conceptrules.model.statistics import edges
from conceptrules.model.trail import head_of, list_signatures, state_of
from conceptrules.model.values import label_text
from conceptrules.studio.model_file import ModelFile
from conceptrules.tables.groups import read_groups
from conceptrules.tables.prediction import predict
from conceptrules.tables.table import Table

_SHOWN_ROWS = 8
_WORK = 2_000_000  # parts of formulas that the proof about others may look at: about four seconds
_MOST_EDGES = 400  # of a network that is minimised in passing


@dataclass(frozen=True, slots=True, eq=False)
class SessionRows:
    """The rows that show what edits do."""

    name: str
    """Where they are from."""
    frame: Any
    """The table, as it is learned from."""
    table: Table
    """The same, with each column read once."""
    labels: list[object] | None
    """The class of each row, or its number; None if the rows do not say."""


@dataclass(frozen=True, slots=True, eq=False)
class Session:
    """What the studio works on."""

    network: RuleNetwork
    file: ModelFile
    rows: SessionRows
    who: str
    """Who makes the changes."""
    measured: RuleNetwork
    """The network with figures of the given rows, if these say their classes."""

    @property
    def fingerprint(self) -> str:
        """What tells states of the session apart."""
        return f"{state_of(self.network)} {head_of(self.network)}"


def open_session(file: ModelFile, rows: SessionRows, who: str, network: RuleNetwork, policy: Policy | None) -> Session:
    """Return a session; a policy of its own is put in force, and written with the first edit."""
    if policy is not None:
        operation = SetPolicy(to_plain(_merge_policies(network.policy, policy)))
        if _merge_policies(network.policy, policy) != network.policy:
            why = "the studio was opened with this policy"
            network = edit(network, operation, who=who, why=why, data=rows.table, labels=rows.labels).network
    return _continue(Session(network, file, rows, who, network), network)


def _merge_policies(own: Policy | None, policy: Policy) -> Policy:
    """Return a policy with the clauses that the network has besides, such as its locked rules."""
    names = {clause.name for clause in policy.clauses}
    more = [clause for clause in (own.clauses if own else ()) if clause.name not in names]
    return replace(policy, clauses=(*policy.clauses, *more))


def _continue(session: Session, network: RuleNetwork) -> Session:
    rows = session.rows
    measured = network if rows.labels is None else measure(network, rows.table, rows.labels)
    return replace(session, network=network, measured=measured)


# What an edit would do


@dataclass(frozen=True, slots=True)
class GroupFlips:
    """The rows of a group that get another answer."""

    group: str | None
    rows: int
    flipped: int


@dataclass(frozen=True, slots=True, eq=False)
class Draft:
    """An edit that is tried, and what it does to the given rows; nothing of it is recorded."""

    operation: Operation
    recalibrate: bool
    """Whether the chances of scores are fitted anew."""
    session: Session
    """The session that it is tried on."""
    after: RuleNetwork
    effect: Effect
    flipped: NDArray[np.intp]
    """The rows that get another answer."""
    learned: RuleNetwork | None = None
    """The network that was learned again, if the edit takes its rules."""


@dataclass(frozen=True, slots=True, eq=False)
class ProvedDraft:
    """An edit that is tried, with all that is proved of it."""

    draft: Draft
    edited: Edited
    cases: tuple[CaseResult, ...]
    shorter: int | None
    """The edges of a shorter form that says the same; None if none was found."""

    @property
    def refusal(self) -> str:
        """Why the edit is not to be made; empty if nothing is against it."""
        refuted = ", ".join(self.edited.newly_refuted)
        return f"the change breaks what the policy asks for: {refuted}" if refuted else ""

    @property
    def failed_cases(self) -> tuple[CaseResult, ...]:
        """The test cases that do not get the expected answer."""
        return tuple(result for result in self.cases if not result.passed)


def draft_edit(
    session: Session, operation: Operation, chances: str = "as they are", learned: RuleNetwork | None = None
) -> Draft:
    """Try an edit on the given rows: at once, without any proof.

    The chances of the scores of a card stay as they are, or are fitted "anew" to the given rows.
    """
    rows, recalibrate = session.rows, chances == "anew"
    if not recalibrate:
        operation = keep_chances(session.network, operation)
    after, effect = preview(session.network, operation, data=rows.table, labels=rows.labels, recalibrate=recalibrate)
    flipped = np.flatnonzero(predict(session.network, rows.table) != predict(after, rows.table))
    return Draft(operation, recalibrate, session, after, effect, flipped, learned)


def keep_chances(network: RuleNetwork, operation: Operation) -> Operation:
    """Return an edit that leaves the chances of all scores of a card as they are, where new scores come up: these have
    the chance of the nearest one."""
    head, after = network.head, operation.apply(normalise(network)).head
    if head is None or after is None or not head.probabilities or head.probabilities != after.probabilities:
        return operation
    ((least, most),), ((first, share), *_) = after.bounds, head.probabilities
    last, largest = head.probabilities[-1]
    below, above = ([(least, share)] if least < first else []), ([(most, largest)] if most > last else [])
    kept = (*below, *head.probabilities, *above)
    return operation if kept == head.probabilities else Recalibrate(operation, kept)


def prove_draft(draft: Draft) -> ProvedDraft:
    """Prove what there is to prove of an edit that is tried: on all possible rows, and of the policy."""
    session = draft.session
    edited = edit(
        session.network,
        draft.operation,
        who=session.who,
        why="",
        data=session.rows.table,
        labels=session.rows.labels,
        recalibrate=draft.recalibrate,
    )
    return ProvedDraft(draft, edited, run_cases(edited.network), count_shorter_edges(edited.network))


def count_flips(draft: Draft, column: str) -> list[GroupFlips]:
    """Return how many rows of each group of a column get another answer, the most affected first."""
    groups = read_groups(draft.session.rows.table, column)
    flipped = np.zeros(len(groups), np.bool_)
    flipped[draft.flipped] = True
    counts = [
        GroupFlips(group, int((own := groups == group).sum()), int((own & flipped).sum()))
        for group in sorted(set(groups.tolist()), key=lambda each: (each is None, each))
    ]
    return sorted(counts, key=lambda each: -each.flipped / max(each.rows, 1))


def list_group_columns(session: Session) -> list[str]:
    """Return the columns whose values are groups: categories, few different ones, of the model or of the policy."""
    kinds = {column.name: column.kind for column in session.network.own_columns}
    own = [name for name in session.rows.table.names if kinds.get(name) in ("category", "ordinal", "boolean", None)]
    return [name for name in own if len(set(read_groups(session.rows.table, name).tolist())) <= 20]


def sample_flips(draft: Draft) -> tuple[list[str], list[list[str]]]:
    """Return the first rows that get another answer: the names of the columns that rules ask about, and their cells."""
    network, table = draft.session.network, draft.session.rows.table
    asked = set(network.used_columns) | set(draft.after.used_columns)
    names = [column.name for column in network.own_columns if column.name in asked]
    rows = table.take(draft.flipped[:_SHOWN_ROWS])
    old, new = (predict(each, rows).tolist() if rows.rows else [] for each in (network, draft.after))
    cells = [rows.cells(rows.names.index(name)).to_list() for name in names]
    lines = [
        [str(row + 1), cell_text(old[number]), cell_text(new[number]), *(cell_text(each[number]) for each in cells)]
        for number, row in enumerate(draft.flipped[:_SHOWN_ROWS].tolist())
    ]
    return ["row", "before", "after", *names], lines


def cell_text(value: Any) -> str:
    """Return the value of a cell as text."""
    if value is None:
        return "missing"
    return f"{value:.6g}" if isinstance(value, float) else label_text(value)


def find_row_outside(draft: Draft, region: str) -> Row | None:
    """Return a row outside of a region that an edit changes; None if it is proved that there is none.

    The region is a rule in words. `Undecided` is raised if the networks are too large for a proof.
    """
    text = text_of_tests(read_rule(region, draft.after.columns), draft.after.columns)
    return find_difference(draft.session.network, draft.after, outside=text, work=_WORK)


def count_shorter_edges(network: RuleNetwork) -> int | None:
    """Return the edges of a shorter form that gives the same answers; None if there is none, or it would take long."""
    if edges(network) > _MOST_EDGES or len(network.levels) > 1:
        return None
    shorter = edges(minimise(network))
    return shorter if shorter < edges(network) else None


def shorten(session: Session) -> TakeRules:
    """Return the edit that puts the shortest form found in the place of the rules."""
    return take_rules(session.network, minimise(session.network), "a shorter form that says the same")


# Edits. Each is in the file before the session that has it is returned.


def apply_draft(session: Session, proved: ProvedDraft, why: str) -> Session:
    """Make an edit that was tried, and write it to the file."""
    if proved.draft.session.fingerprint != session.fingerprint:
        raise InputError("the rules were changed since this edit was tried; try it again")
    if proved.refusal:
        raise InputError(proved.refusal)
    network = with_author(proved.edited, who=session.who, why=why.strip()).network
    if proved.draft.learned is not None:  # which rows were learned from, says the new training
        network = replace(network, training=without_rule_figures(proved.draft.learned.training))
    return _write(session, network)


def apply_operation(session: Session, operation: Operation, why: str) -> Session:
    """Make an edit at once: one that decides nothing, such as a name, or one that was looked at before."""
    return apply_draft(session, prove_draft(draft_edit(session, operation)), why)


def undo_edit(session: Session, why: str) -> Session:
    """Take the last edit back."""
    rows = session.rows
    undone = undo(session.network, who=session.who, why=why, data=rows.table, labels=rows.labels)
    return _write(session, undone.network)


def redo_edit(session: Session, why: str) -> Session:
    """Make the edit again that was taken back last."""
    rows = session.rows
    redone = redo(session.network, who=session.who, why=why, data=rows.table, labels=rows.labels)
    return _write(session, redone.network)


def sign_rules(session: Session, name: str, role: str, motive: str) -> Session:
    """Sign the rules as they are."""
    return _write(session, sign(session.network, name=name, role=role, motive=motive))


def count_missing_signatures(network: RuleNetwork) -> int:
    """Return how many more people the policy asks for."""
    asked = [clause.least for clause in (network.policy or Policy()).of_kind(Signatures)]
    return max(0, max(asked, default=0) - len(list_signatures(network)))


def _write(session: Session, network: RuleNetwork) -> Session:
    session.file.write(network)
    return _continue(session, network)


def read_again(session: Session) -> Session:
    """Return the session with what the file has now."""
    return _continue(session, session.file.read())


# States, side by side


def compare_states(session: Session, first: int, second: int) -> Difference:
    """Return what differs between two states, and what each answers on the given rows."""
    length = len(session.network.trail)
    states = [rewind(session.network, length - number) for number in (first, second)]
    return diff(states[0], states[1], table=session.rows.table)


def audit_session(session: Session, by: tuple[str, ...] = ()) -> Audit:
    """Return how good the network is on the given rows, and how many of them it learned from."""
    rows = session.rows
    if rows.labels is None:
        return audit(session.network)
    return audit(session.network, rows.table, rows.labels, by=by)


def read_answer(network: RuleNetwork, text: str) -> Value:
    """Return the class, or the number, that people have written."""
    if network.classes:
        return text
    try:
        return float(text)
    except ValueError:
        raise InputError(f"the answer is {text!r}; give a number") from None
