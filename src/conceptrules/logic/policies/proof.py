"""Whether a network satisfies a policy: one verdict for each clause, and a certificate that others can check."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any
from typing import Literal as Choice

from conceptrules.logic.column_cells import cell_numbers
from conceptrules.logic.policies.card_claims import CardSplitting, card_claims_of, clause_text
from conceptrules.logic.policies.claims import Claim, FailingBox, Splitting, Tree, claims_of, list_conflicts
from conceptrules.logic.policies.clause_checks import (
    check_rows,
    check_signatures,
    find_lost_rule,
    find_violation,
    is_structural,
)
from conceptrules.logic.policies.counterexamples import (
    AnyClaim,
    Counterexample,
    GivenRows,
    build_counterexample,
    can_be,
    find_refuting_row,
    make_up_rows,
    read_rows,
)
from conceptrules.logic.policies.possible_rows import Space, network_space, space_of
from conceptrules.logic.solver import Undecided
from conceptrules.model.content_hash import content_hash
from conceptrules.model.derived import require_own_columns
from conceptrules.model.errors import InputError, short_errors
from conceptrules.model.network import Concept, Level, RuleNetwork
from conceptrules.model.policy import (
    Bounds,
    Clause,
    Cost,
    Fair,
    Independent,
    LeastPrecision,
    LeastRows,
    Locked,
    Monotone,
    Policy,
    Signatures,
)
from conceptrules.model.policy.policy import check_policy, read_known_rule
from conceptrules.model.policy.reach import reach_derived
from conceptrules.model.predicate import Column, Value
from conceptrules.model.provenance import ProofRecord, VerdictRecord
from conceptrules.model.shortcuts import ShownAsHtml

Outcome = Choice["proved", "refuted", "undecided"]
# Literals that the proof of one clause may look at: at most some seconds. Counted, not timed: the answer is always the
# same.
WORK = 1_000_000


@dataclass(frozen=True, slots=True)
class Verdict:
    """What is known of one clause."""

    name: str
    """The name of the clause."""
    text: str
    """What the clause asks for, in words."""
    outcome: Outcome
    """Whether the network satisfies it."""
    reason: str
    """What was proved and of which rows, or why it was not."""
    counterexample: Counterexample | None = None
    """Rows on which the clause fails, where it is about decisions."""

    def __str__(self) -> str:
        lines = [] if self.counterexample is None else str(self.counterexample).splitlines()
        return "\n  ".join([f"{self.outcome}: {self.text} ({self.reason})", *lines])


@dataclass(frozen=True, slots=True)
class Proof(ShownAsHtml):
    """What is known of each clause of a policy. `print` shows it as text, a notebook as HTML."""

    hash: str
    """The hash of the network that it is about."""
    verdicts: tuple[Verdict, ...]
    """One verdict for each clause that can be proved; costs only steer learning."""
    trees: tuple[tuple[str, tuple[Tree, ...]], ...] = ()
    """The splits that prove the clauses about decisions, by the name of the clause: one tree for each claim."""

    @property
    def outcome(self) -> Outcome:
        """The worst of the verdicts: refuted, else undecided, else proved."""
        outcomes = {verdict.outcome for verdict in self.verdicts}
        return "refuted" if "refuted" in outcomes else "undecided" if "undecided" in outcomes else "proved"

    @property
    def proved(self) -> bool:
        """Whether every clause is proved."""
        return self.outcome == "proved"

    def __str__(self) -> str:
        return "\n".join(map(str, self.verdicts)) or "the policy asks for nothing"


def prove(
    network: RuleNetwork, policy: Policy, *, data: Any = None, labels: Iterable[object] | None = None, work: int = WORK
) -> Proof:
    """Return a verdict on each clause of a policy: the function behind `RuleNetwork.prove`."""
    policy = check_policy(policy, network.columns, network.classes, network.head is not None)
    check_contradictions(policy, network.columns, network.classes, work=work)
    space = network_space(network, policy)
    rows = None if data is None else read_rows(network, space, data, labels)
    verdicts, trees = [], []
    for clause in policy.clauses:
        if isinstance(clause, Cost):
            continue
        counterexample = None
        if isinstance(clause, LeastRows | LeastPrecision | Fair):
            satisfied, reason = check_rows(clause, network, rows)
        elif isinstance(clause, Signatures):
            satisfied, reason = check_signatures(clause, network)
        elif is_structural(clause):
            violation = find_violation(clause, network)
            satisfied, reason = violation is None, violation or "read off the rules"
        elif isinstance(clause, Locked) and (lost := find_lost_rule(clause, network)):
            satisfied, reason = False, lost
        else:
            reason, counterexample, proved = _prove_clause(clause, network, policy, space, work, rows)
            satisfied = None if proved is None and counterexample is None else counterexample is None
            if proved is not None:
                trees.append((clause.name, proved))
        outcome: Outcome = "undecided" if satisfied is None else "proved" if satisfied else "refuted"
        verdicts.append(Verdict(clause.name, clause_text(clause, network), outcome, reason, counterexample))
    return Proof(content_hash(network), tuple(verdicts), tuple(trees))


def _prove_clause(
    clause: Clause, network: RuleNetwork, policy: Policy, space: Space, work: int, rows: GivenRows | None
) -> tuple[str, Counterexample | None, tuple[Tree, ...] | None]:
    """Return what was found, with a counterexample or a tree for each claim; with neither where it is undecided."""
    splitting, claims = _split_space(network, policy, space, work), list[AnyClaim]()
    columns = (*network.own_columns, *network.asked_derived)
    reached = reach_derived(Policy((clause,), policy.domain), columns).clauses
    for each in reached:
        if network.head is None:
            claims += claims_of(each, policy, space, network.columns, network.classes) or ()
        else:
            claims += card_claims_of(each, policy, space, network.columns, network.classes, network.head)
    refuted = None
    if rows is not None and len(reached) == 1:  # or else a row changes in derived columns as well
        refuted = find_refuting_row(network, splitting, claims, rows)
    if refuted is not None:
        claim, row = refuted
        shown = build_counterexample(network, splitting, claim, None, rows, row)
        if not _is_within(clause, shown):
            return "by a given row", shown, None
    trees: list[Tree] = []
    try:
        if len(reached) > 1 and policy.domain.impossible:
            raise Undecided(f"not proved: domain.impossible may rule out the rows that lead to {reached[-1].name}")
        for claim in claims:
            tree = splitting.prove(claim)  # type: ignore[arg-type]  # a claim goes with the head of the network
            if isinstance(tree, FailingBox):
                shown = build_counterexample(network, splitting, claim, tree.cells, rows, None)
                if _is_within(clause, shown):
                    raise Undecided("not decided: a prediction is a rounding error from the bound")
                possible = shown if can_be(network, space, claim, shown) else _make_up(network, splitting, claim)
                return "by a possible row", possible, None
            trees.append(tree)
    except Undecided as error:
        return str(error), None, None
    of_scores = network.head is not None and isinstance(clause, Monotone | Independent | Bounds)  # the text says it all
    return f"{'' if of_scores else 'of the decision only, '}on all possible rows", None, tuple(trees)


def _make_up(network: RuleNetwork, splitting: Splitting, claim: AnyClaim) -> Counterexample:
    """Return a row on which a claim fails and that a table can have, or raise `Undecided` if none is found."""
    if claim.column is None:
        rows = make_up_rows(network, splitting.space)
        if refuted := find_refuting_row(network, splitting, [claim], rows):
            shown = build_counterexample(network, splitting, claim, None, rows, refuted[1])
            return replace(shown, origin="made up", row=None)
    raise Undecided("not proved: it fails if relations and words could be anything, and no row was found where it does")


def _is_within(clause: Clause, shown: Counterexample) -> bool:
    """Return whether a prediction is within the bounds after all, which powers of e are compared with by a margin."""
    if not isinstance(clause, Bounds):
        return False
    label = shown.decisions[0].label
    return isinstance(label, float) and clause.least <= label <= clause.most


def record_proof(proof: Proof) -> ProofRecord:
    """Return what a network keeps of a proof."""
    verdicts = (
        VerdictRecord(verdict.name, verdict.text, verdict.outcome, verdict.reason) for verdict in proof.verdicts
    )
    return ProofRecord(proof.hash, tuple(verdicts))


@short_errors()
def check_contradictions(
    policy: Policy, columns: tuple[Column, ...], classes: tuple[Value, ...], *, work: int = WORK
) -> None:
    """Raise an `InputError` if no row is possible, or two clauses want different classes for one, with that row."""
    space = space_of(columns, (), policy)
    classes = classes or (True,)  # a number has none, and no clause that names any
    no_rules = RuleNetwork(columns, (), (Level((), tuple(Concept() for _ in classes)),), classes)

    def find_row(claim: Claim) -> str | None:
        """Return a row on which a claim fails; None if it is proved. A network without rules decides nothing."""
        splitting = _split_space(no_rules, policy, space, work)
        failing = splitting.prove(claim)
        if not isinstance(failing, FailingBox):
            return None
        return build_counterexample(no_rules, splitting, claim, failing.cells, None, None).decisions[0].text

    if policy.domain.impossible:
        with suppress(Undecided):
            if find_row(Claim((frozenset(),))) is None:
                raise InputError("domain.impossible leaves no row that is possible; take one of its rules out")
    for first, second, claim in list_conflicts(policy, columns):
        with suppress(Undecided):
            row = find_row(claim)
            if row is not None:
                both = f"{second.name} contradicts {first.name}: both hold where {row}"
                raise InputError(f"{both}; {first.text}, but {second.text}")


def _split_space(network: RuleNetwork, policy: Policy, space: Space, work: int) -> Splitting:
    impossible = [read_known_rule("domain.impossible", rule, network.columns) for rule in policy.domain.impossible]
    return (Splitting if network.head is None else CardSplitting)(network, space, impossible, work)


# The certificate. `conceptrules.check` reads it, and shares no code with what wrote it.

CERTIFICATE_FORMAT = "conceptrules certificate"
DECIDING_KEYS = ("classes", "priority", "default", "columns", "predicates", "levels")
CARD_KEYS = ("classes", "head", "columns", "predicates", "levels")


def write_certificate(network: RuleNetwork, policy: Policy, proof: Proof, source: Mapping[str, Any]) -> str:
    """Return the certificate of a proof as JSON; `source` is the policy as its TOML file states it.

    It has the cells of the columns and the trees of splits that settle every claim. It names the model by a hash of
    what decides, and the policy by one of all its keys.
    """
    from conceptrules.io.encode import dumps
    from conceptrules.io.json_readers import finite

    require_own_columns(network.asked_derived, "a certificate")
    model = json.loads(dumps(network))
    cells_of = network_space(network, policy).items()
    content = {
        "format": CERTIFICATE_FORMAT,
        "version": 1,
        "model": hash_plain({key: model[key] for key in (CARD_KEYS if "head" in model else DECIDING_KEYS)}),
        "policy": hash_plain(source),
        "cells": {
            name: {"cuts": list(cells.cuts)} if cells.column.ordered else {"values": finite(list(cells.listed))}
            for name, cells in cells_of
        },
        "clauses": {name: [_list_splits(tree) for tree in trees] for name, trees in proof.trees},
    }
    return json.dumps(content, ensure_ascii=True) + "\n"


def hash_plain(content: object) -> str:
    """Return the SHA-256 of plain values, whatever the order of their keys."""
    text = json.dumps(content, sort_keys=True, separators=(",", ":"), default=str)
    return hashlib.sha256(text.encode("ascii")).hexdigest()


def _list_splits(tree: Tree) -> list[Any] | None:
    if tree is None:
        return None
    name, cells, inside, outside = tree
    return [name, cell_numbers(cells), _list_splits(inside), _list_splits(outside)]
