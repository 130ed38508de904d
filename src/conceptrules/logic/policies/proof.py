"""Whether a network satisfies a policy: one verdict for each clause."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any
from typing import Literal as Choice

from conceptrules.logic.policies.claims import Claim, check_consistent, claims_of
from conceptrules.logic.policies.counterexamples import Counterexample, counterexample
from conceptrules.logic.policies.given_rows import GivenRows, given_rows, refuting_row, rows_failure, unfairness
from conceptrules.logic.policies.possible_rows import Space, network_space, space_of
from conceptrules.logic.policies.splitting import Found, Splitting, Tree
from conceptrules.logic.policies.structure import checks_structure, failure, not_kept
from conceptrules.logic.solver import Undecided
from conceptrules.model.content_hash import content_hash
from conceptrules.model.errors import InputError, short_errors
from conceptrules.model.network import Concept, Level, RuleNetwork
from conceptrules.model.policy import Clause, Cost, Fair, LeastPrecision, LeastRows, Locked, Policy
from conceptrules.model.policy.policy import check_policy, stated
from conceptrules.model.predicate import Column, Value
from conceptrules.model.provenance import ProofRecord, VerdictRecord

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
        shown = (
            ""
            if self.counterexample is None
            else "\n" + "\n".join(f"  {one}" for one in str(self.counterexample).splitlines())
        )
        return f"{self.outcome}: {self.text} ({self.reason}){shown}"


@dataclass(frozen=True, slots=True)
class Proof:
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
        found = {verdict.outcome for verdict in self.verdicts}
        return "refuted" if "refuted" in found else "undecided" if "undecided" in found else "proved"

    @property
    def proved(self) -> bool:
        """Whether every clause is proved."""
        return self.outcome == "proved"

    def __str__(self) -> str:
        return "\n".join(map(str, self.verdicts)) or "the policy asks for nothing"

    def _repr_html_(self) -> str:
        from conceptrules.model.shortcuts import proof_html

        return proof_html(self)


def prove(
    network: RuleNetwork, policy: Policy, *, data: Any = None, labels: Iterable[object] | None = None, work: int = WORK
) -> Proof:
    """Return a verdict on each clause of a policy: the function behind `RuleNetwork.prove`."""
    check_policy(policy, network.columns, network.classes)
    check_contradictions(policy, network.columns, network.classes, work=work)
    space = network_space(network, policy)
    rows = None if data is None else given_rows(network, space, data, labels)
    trees: dict[str, tuple[Tree, ...]] = {}
    verdicts = tuple(
        _verdict(clause, policy, network, space, rows, work, trees)
        for clause in policy.clauses
        if not isinstance(clause, Cost)
    )
    return Proof(content_hash(network), verdicts, tuple(trees.items()))


def recorded(proof: Proof) -> ProofRecord:
    """Return what a network keeps of a proof."""
    verdicts = (VerdictRecord(one.name, one.text, one.outcome, one.reason) for one in proof.verdicts)
    return ProofRecord(proof.hash, tuple(verdicts))


@short_errors()
def check_contradictions(
    policy: Policy, columns: tuple[Column, ...], classes: tuple[Value, ...], *, work: int = WORK
) -> None:
    """Raise an `InputError` if no row is possible, or two clauses want different classes for one, with that row."""
    space = space_of(columns, (), policy)
    if policy.domain.impossible and _empty(policy, space, columns, classes, work):
        raise InputError("domain.impossible leaves no row that is possible; take one of its rules out")
    for one, other, claim in check_consistent(policy, space, columns):
        silent = _silent(columns, classes)
        splitting = _splitting(silent, policy, space, work)
        try:
            found = splitting.prove(claim)
        except Undecided:
            continue
        if isinstance(found, Found):
            row = counterexample(silent, splitting, claim, found.box, None, None).decisions[0].text
            both = f"{other.name} contradicts {one.name}: both hold where {row}"
            raise InputError(f"{both}; {one.text}, but {other.text}")


def _empty(policy: Policy, space: Space, columns: tuple[Column, ...], classes: tuple[Value, ...], work: int) -> bool:
    """Return whether it is proved that no row is possible."""
    try:
        never = Claim((frozenset(),), ())
        return not isinstance(_splitting(_silent(columns, classes), policy, space, work).prove(never), Found)
    except Undecided:
        return False


def _silent(columns: tuple[Column, ...], classes: tuple[Value, ...]) -> RuleNetwork:
    """Return a network without rules."""
    return RuleNetwork(columns, (), (Level((), tuple(Concept() for _ in classes)),), classes)


def _splitting(network: RuleNetwork, policy: Policy, space: Space, work: int) -> Splitting:
    impossible = [stated("domain.impossible", rule, network.columns) for rule in policy.domain.impossible]
    return Splitting(network, space, impossible, work)


def _verdict(
    clause: Clause, policy: Policy, network: RuleNetwork, space: Space, rows: GivenRows | None, work: int,
    trees: dict[str, tuple[Tree, ...]],
) -> Verdict:  # fmt: skip
    if isinstance(clause, LeastRows | LeastPrecision | Fair):
        return _on_rows(clause, network, rows)
    if checks_structure(clause):
        failed = failure(clause, network)
        return Verdict(clause.name, clause.text, "refuted" if failed else "proved", failed or "read off the rules")
    lost = not_kept(clause, network) if isinstance(clause, Locked) else None
    if lost:
        return Verdict(clause.name, clause.text, "refuted", lost)
    claims = claims_of(clause, policy, space, network.columns, network.classes)
    assert claims is not None
    splitting = _splitting(network, policy, space, work)
    refuted = None if rows is None else refuting_row(network, splitting, claims, rows)
    if refuted is not None:
        found = counterexample(network, splitting, refuted[0], None, rows, refuted[1])
        return Verdict(clause.name, clause.text, "refuted", "by a given row", found)
    return _proved(clause, network, splitting, claims, rows, trees)


def _proved(
    clause: Clause, network: RuleNetwork, splitting: Splitting, claims: list[Claim], rows: GivenRows | None,
    trees: dict[str, tuple[Tree, ...]],
) -> Verdict:  # fmt: skip
    found: list[Tree] = []
    try:
        for claim in claims:
            tree = splitting.prove(claim)
            if isinstance(tree, Found):
                shown = counterexample(network, splitting, claim, tree.box, rows, None)
                return Verdict(clause.name, clause.text, "refuted", "by a possible row", shown)
            found.append(tree)
    except Undecided as error:
        return Verdict(clause.name, clause.text, "undecided", str(error))
    trees[clause.name] = tuple(found)
    return Verdict(clause.name, clause.text, "proved", "on all possible rows")


def _on_rows(clause: LeastRows | LeastPrecision | Fair, network: RuleNetwork, rows: GivenRows | None) -> Verdict:
    if isinstance(clause, Fair):
        if rows is None:
            return Verdict(clause.name, clause.text, "undecided", "needs rows; give some with the column of the groups")
        fair, said = unfairness(clause, network, rows)
        return Verdict(
            clause.name, clause.text, "proved" if fair else "refuted", f"{said}, on {rows.table.rows:,} rows"
        )
    failed, basis = rows_failure(clause, network, rows)
    if failed == "":
        return Verdict(clause.name, clause.text, "undecided", f"needs rows and their classes; there are {basis}")
    return Verdict(
        clause.name,
        clause.text,
        "refuted" if failed else "proved",
        f"{failed}, on {basis}" if failed else f"on {basis}",
    )
