"""New rules for a class: grown literal by literal, around nothing and around rows that are still wrong."""

from __future__ import annotations

import numpy as np

from conceptrules.kernels.search import bit_planes as planes
from conceptrules.kernels.search.bit_planes import Words
from conceptrules.learn.examples import Bits
from conceptrules.learn.scoring import SLOPES, Floats, expected
from conceptrules.learn.search.local_search import improved
from conceptrules.learn.search.mutable_network import Inputs, MutableNetwork
from conceptrules.learn.search.objective import Terms, benefit, objective

# In the first rules of an empty network, rows that lose are counted as so many: later rules can add, but not take away.
_FIRST_CARE = 4.0
# Where no literal says anything by itself, as in a parity of two, so many are each tried as the first of a rule.
_BLIND_STARTS = 200


def start(net: MutableNetwork, terms: Terms, rng: np.random.Generator) -> None:
    """First rules for an empty network: each class against the others, as if the others were right already."""
    described = [c for c in net.order if c != net.default]
    for c in described:
        gains = _against_the_others(net, c)
        while net.rules < terms.rules:
            gains[_held(net, c)] = 0
            if not _added(net, c, best_new_rule(net, gains, terms, rng), terms):
                break
    for c in described:
        if not net.rules and terms.rules:
            _added(net, c, _blind_rule(net, _against_the_others(net, c), terms, rng), terms)


def _added(net: MutableNetwork, c: int, chosen: Inputs | None, terms: Terms) -> bool:
    if chosen is None or net.edges + len(chosen) + 1 > terms.edges:
        return False
    net.add_rule(c, chosen)
    return True


def _blind_rule(net: MutableNetwork, gains: Floats, terms: Terms, rng: np.random.Generator) -> Inputs | None:
    """The best rule of those that begin with any literal at all, if one earns its penalty."""
    inputs, every = net.below(0), terms.usable(0)
    usable = np.arange(len(inputs)) if every is None else np.flatnonzero(every)
    allowed = np.isin(np.arange(len(inputs)), usable)
    best, most = None, terms.penalty
    for first in rng.permutation(usable)[:_BLIND_STARTS].tolist():
        signed = planes.planes_of(np.where(_bits(inputs[first], len(gains)), gains, 0.0))
        chosen, worth = planes.grow(inputs, allowed, signed, terms.penalty, terms.longest - 1)
        if worth - terms.penalty > most:
            best, most = np.append(chosen, first), worth - terms.penalty
    return best


def grow_rules(net: MutableNetwork, c: int, terms: Terms, rng: np.random.Generator, care: float = 1.0) -> None:
    """New rules for a class, as long as they earn their penalty. With `care`, rows that lose count as so many."""
    depth, top = len(net.layers) - 2, len(net.layers) - 1
    score = objective(net, terms)
    while net.rules < terms.rules:
        gains = benefit(net, top, c)
        gains[_held(net, c)] = 0
        chosen = best_new_rule(net, np.where(gains < 0, care * gains, gains), terms, rng)
        if chosen is None:
            return
        net.add_rule(c, chosen)
        before, score = score, objective(net, terms)
        if score <= before or net.edges > terms.edges:
            net.drop_rule(depth, len(net.layers[depth]) - 1)
            return


def best_new_rule(net: MutableNetwork, gains: Floats, terms: Terms, rng: np.random.Generator) -> Inputs | None:
    """Of the last level: the best of those grown around some rows that would gain, and around none.

    None if none earns its penalty.
    """
    wanted = np.flatnonzero(gains > 0)
    if not len(wanted):
        return None
    depth = len(net.layers) - 2
    inputs, usable, signed = net.below(depth), terms.usable(depth), planes.planes_of(gains)
    every = np.ones(len(inputs), np.bool_) if usable is None else usable
    best, most = None, terms.penalty
    for row in (None, *rng.choice(wanted, min(terms.seeds, len(wanted)), replace=False).tolist()):
        allowed = every if row is None else every & _holding(inputs, row)
        chosen, _ = planes.grow(inputs, allowed, signed, terms.penalty, terms.longest)
        if len(chosen):
            chosen, worth = improved(inputs, chosen, signed, terms, usable)
            if worth > most:
                best, most = chosen, worth
    return best


def _against_the_others(net: MutableNetwork, c: int) -> Floats:
    """What each row gains if the class fires there: its own rows would get the default, the others are right."""
    rows = net.rows
    counts = np.bincount(rows.target, rows.weight, rows.classes).astype(np.float64)
    slope = SLOPES[rows.scoring](expected(counts))
    right = slope[rows.target, rows.target]
    own, other = right - slope[c, net.default], _FIRST_CARE * (slope[rows.target, c] - right)
    gains: Floats = rows.weight * np.where(rows.target == c, own, other)
    return gains


def _held(net: MutableNetwork, c: int) -> Bits:
    """The rows on which a class fires."""
    return _bits(net.holds[-1][c], len(net.rows.target))


def _bits(node: Words, rows: int) -> Bits:
    return np.unpackbits(node.view(np.uint8), bitorder="little", count=rows).view(np.bool_)


def _holding(inputs: Words, row: int) -> Bits:
    """The inputs that hold on a row."""
    held: Bits = (inputs[:, row // 64] >> np.uint64(row % 64) & np.uint64(1)).astype(np.bool_)
    return held
