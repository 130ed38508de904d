"""Networks of the search in their shortest form that keeps the limits and the policy."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from conceptrules.kernels.search.values import Rows
from conceptrules.learn.binned_table import BinnedTable
from conceptrules.learn.search.coded_network import CodedNetwork, read_from_bins
from conceptrules.learn.search.settings import SearchSettings
from conceptrules.logic.canonical import sort_nodes
from conceptrules.logic.minimisation import minimise
from conceptrules.logic.policies.proof import prove
from conceptrules.logic.simplification import simplify
from conceptrules.model.errors import InputError
from conceptrules.model.evaluation import PackedBits, decide
from conceptrules.model.network import Concept, Level, RuleNetwork
from conceptrules.model.policy import Fair, LeastPrecision, LeastRows, Locked, Policy, Signatures
from conceptrules.model.policy.policy import read_known_rule
from conceptrules.model.rule_reader import condition_texts, network_of_tests
from conceptrules.model.statistics import with_statistics


def simplify_and_minimise(
    coded: CodedNetwork,
    rows: Rows,
    table: BinnedTable,
    settings: SearchSettings,
    policy: Policy | None,
) -> RuleNetwork:
    """Return the shortest form of a network that is within the limits: fewer edges may mean more or longer rules.

    The shorter form has to satisfy the policy, too. Networks of the search do, by what their rules may ask. Groups are
    treated the same, since no row gets another answer.
    """
    seen = coded.bits(rows.codes)
    simple = simplify(coded.network, seen)
    smaller = minimise(simple)
    short = sort_nodes(smaller if settings.allows(smaller) else simple)
    if policy is None or not policy.clauses:
        return short
    policy = Policy(
        tuple(clause for clause in policy.clauses if not isinstance(clause, Fair | Signatures)), policy.domain
    )
    needed = _drop_unneeded_rules(coded.network, seen, policy)
    forms = [short, *map(sort_nodes, (simple, simplify(coded.network), needed, coded.network))]
    proofs = [prove(_add_statistics(form, rows, table, policy), policy) for form in forms]
    proved = [form for form, proof in zip(forms, proofs, strict=True) if proof.proved]
    if proved:
        return min(proved, key=lambda form: form.edges)
    failed = next((verdict for verdict in proofs[-1].verdicts if verdict.outcome == "refuted"), None)
    if failed is not None:
        raise InputError(f"{failed.name}: no network keeps this clause together with the others; {failed.reason}")
    return forms[-1]


def _add_statistics(network: RuleNetwork, rows: Rows, table: BinnedTable, policy: Policy) -> RuleNetwork:
    """Return a network with the statistics of the rows, where the policy asks for them."""
    if not policy.of_kind(LeastRows) and not policy.of_kind(LeastPrecision):
        return network
    row, label = np.nonzero(rows.raw)
    bits = read_from_bins(table, network).bits(rows.codes[row])
    return with_statistics(network, bits, label, rows.raw[row, label])


def _drop_unneeded_rules(network: RuleNetwork, seen: PackedBits, policy: Policy) -> RuleNetwork:
    """Return a network of one level without the rules that no row needs, but with those that are locked."""
    if len(network.levels) > 1:
        return network
    locked = {
        condition_texts(rule, 0, rule.levels[0].rules[0].literals) for rule in _read_locked_rules(network, policy)
    }
    answers = decide(network, seen)
    for rule in range(len(network.levels[0].rules)):
        if condition_texts(network, 0, network.levels[0].rules[rule].literals) not in locked:
            level = network.levels[0]
            concepts = tuple(
                Concept(tuple(number for number in concept.rules if number != rule)) for concept in level.concepts
            )
            fewer = replace(network, levels=(replace(level, concepts=concepts),))
            if np.array_equal(decide(fewer, seen), answers):
                network = fewer
    level = network.levels[0]
    kept = sorted({rule for concept in level.concepts for rule in concept.rules})
    concepts = tuple(Concept(tuple(kept.index(rule) for rule in concept.rules)) for concept in level.concepts)
    return replace(network, levels=(Level(tuple(level.rules[rule] for rule in kept), concepts),))


def _read_locked_rules(network: RuleNetwork, policy: Policy) -> list[RuleNetwork]:
    """Return each locked rule as a network of its own."""
    columns = network.columns
    clauses = policy.of_kind(Locked)
    return [network_of_tests(read_known_rule(clause.name, clause.rule, columns), columns) for clause in clauses]
