"""Hypothesis strategies for the search: weighted rows of bits, nets of one to three levels on them, and terms."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from hypothesis import strategies as st

from conceptrules.learn.examples import Examples
from conceptrules.learn.scoring import SCORES
from conceptrules.learn.search.mutable_network import MutableNetwork
from conceptrules.learn.search.objective import UNLIMITED, Terms
from conceptrules.learn.search.packed_rows import Rows

SEEDS = st.integers(0, 2**32 - 1)
SIZES = st.sampled_from([1, 2, 5, 63, 64, 65, 130])


def seeded() -> st.SearchStrategy[np.random.Generator]:
    """A generator from a seed: networks that are drawn edge by edge are nearly all constant."""
    return SEEDS.map(np.random.default_rng)


@st.composite
def examples(draw: st.DrawFn, classes: int) -> Examples:
    """Some rows whose class depends on their bits, mostly; of one weight, of whole numbers, or of fractions."""
    rng, count, inputs = draw(seeded()), draw(SIZES), draw(st.integers(1, 6))
    bits = rng.random((count, inputs)) < rng.random(inputs)
    target = (bits @ rng.integers(0, 3, inputs) + (rng.random(count) < 0.2)) % classes
    weights = {"one": np.ones(count), "whole": rng.integers(1, 4, count) * 1.0, "fraction": rng.random(count) + 0.01}
    return Examples.of(bits, target.astype(np.int64), weights[draw(st.sampled_from(sorted(weights)))])


@st.composite
def rows(draw: st.DrawFn, classes: int | None = None) -> Rows:
    classes = classes or draw(st.integers(2, 4))
    return Rows.of(draw(examples(classes)), classes, draw(st.sampled_from(sorted(SCORES))))


@st.composite
def nets(draw: st.DrawFn, levels: int | None = None, classes: int | None = None) -> MutableNetwork:
    """Nodes with none to three inputs, rules with negations; several classes may share a rule."""
    judged = draw(rows(classes))
    return draw(drafts_on(judged, levels))


@st.composite
def drafts_on(draw: st.DrawFn, judged: Rows, levels: int | None = None) -> MutableNetwork:
    rng, levels = draw(seeded()), levels or draw(st.integers(1, 3))
    nodes = [len(judged.words) // 2, *rng.integers(1, 5, 2 * levels - 1).tolist(), judged.classes]
    layers = [
        [some(rng, below if depth % 2 else 2 * below) for _ in range(size)]
        for depth, (below, size) in enumerate(pairwise(nodes))
    ]
    return MutableNetwork(judged, layers, rng.permutation(judged.classes).tolist(), int(rng.integers(judged.classes)))


def some(rng: np.random.Generator, size: int) -> np.ndarray:
    """None to three different numbers below `size`."""
    return rng.permutation(size)[: rng.integers(4)].astype(np.int64)


@st.composite
def terms(draw: st.DrawFn, net: MutableNetwork) -> Terms:
    """Budgets that the net keeps, and that some of its neighbours do not."""
    return Terms(
        penalty=draw(st.sampled_from([0.0, 1e-4, 0.01, 0.2])),
        longest=max(longest(net), draw(st.integers(1, 4))),
        rules=draw(st.sampled_from([net.rules, net.rules + 1, UNLIMITED])),
        edges=draw(st.sampled_from([net.edges, net.edges + 3, UNLIMITED])),
        literals=draw(st.none() | seeded().map(lambda rng: rng.random(len(net.rows.words)) < 0.6)),
        regrow=draw(st.integers(0, 2)),
        seeds=draw(st.integers(0, 2)),
    )


def longest(net: MutableNetwork) -> int:
    return max((len(chosen) for layer in net.layers[::2] for chosen in layer), default=0)
