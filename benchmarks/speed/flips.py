"""All single flips of a 128_128_128 network on adult: one pass of the polish over every node, on one thread.

The polish of a node looks at every input that could be added or dropped, and at every swap of two as well, until no
change is left that helps: each flip is evaluated at least once. The pass keeps what helps, as a search does.
"""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from time import process_time
from typing import Any

import numpy as np

from benchmarks.paper.folds import rows_of_fold
from benchmarks.speed.engine import start, train
from benchmarks.speed.measure import Measurement, Plan, seconds
from benchmarks.speed.tables import adult
from conceptrules.binarize import Binarizer
from conceptrules.kernels.mllp import cohort
from conceptrules.kernels.mllp.cohort import Cohort
from conceptrules.learn.examples import Examples, canonical
from conceptrules.learn.search.local_search import improve_concept, improve_rule
from conceptrules.learn.search.mutable_network import Inputs, MutableNetwork
from conceptrules.learn.search.objective import Terms, benefit, objective
from conceptrules.learn.search.packed_rows import Rows

LAYERS = (128, 128, 128)
RATE, EPOCHS, QUICK_EPOCHS = 0.9, 20, 5
TARGET = 2.0
Layers = list[list[Inputs]]


def measure(plan: Plan) -> Iterator[Measurement]:
    bits, target = _fold()
    rows = Rows.of(canonical(Examples.of(bits, target, np.ones(len(target)))), 2)
    epochs = plan.pick(EPOCHS, QUICK_EPOCHS)
    networks = {
        f"after {epochs} epochs of the paper's recipe, P = {RATE}": _trained(bits, target, epochs, plan.seed),
        "in which nearly every node matters": _busy(bits, target, plan.seed),
    }
    for name, layers in networks.items():
        net = MutableNetwork(rows, layers, [1, 0], 0)
        net.improve_priority()
        yield _passes(plan, f"every flip of a network {name}: CPU time", net)


def _fold() -> tuple[np.ndarray, np.ndarray]:
    """The training rows of the paper's first fold."""
    data = adult()
    chosen, _ = rows_of_fold(len(data.y), 0)
    table, y = data.X.take(chosen), data.y[chosen]
    return Binarizer().fit(table, y).transform(table), np.unique(y, return_inverse=True)[1].astype(np.int64)


def _trained(bits: np.ndarray, target: np.ndarray, epochs: int, seed: int) -> Layers:
    """An edge wherever a weight is above 0.5."""
    rng, sizes = np.random.default_rng(seed), (bits.shape[1], *LAYERS, 2)
    network = start(sizes, 1, rng)
    with ThreadPoolExecutor(1) as executor:
        train(network, (RATE,), cohort.Rows.of(bits, target, np.ones(len(target))), epochs, rng, executor)
    return [[np.flatnonzero(node) for node in layer[0]] for layer in Cohort.layers(sizes, network.weights > 0.5)]


def _busy(bits: np.ndarray, target: np.ndarray, seed: int) -> Layers:
    """Every rule holds on some row of the second class, and on few others: nearly all nodes decide some rows alone."""
    rng, wanted = np.random.default_rng(seed), np.flatnonzero(target == 1)
    rules = [_holding(bits[row], 3, rng) for row in rng.choice(wanted, LAYERS[0])]
    held = np.stack([bits[:, rule].all(axis=1) for rule in rules], axis=1)
    concepts = [np.sort(rng.choice(LAYERS[0], 3, replace=False)) for _ in range(LAYERS[1])]
    above = np.stack([held[:, concept].any(axis=1) for concept in concepts], axis=1)
    told = wanted[np.count_nonzero(above[wanted], axis=1) > 1]
    final = [_holding(above[row], 2, rng) for row in rng.choice(told, LAYERS[2])]
    return [rules, concepts, final, [np.zeros(0, np.int64), np.arange(LAYERS[2])]]


def _holding(row: np.ndarray, count: int, rng: np.random.Generator) -> Inputs:
    """So many inputs that hold on a row."""
    return np.sort(rng.permutation(np.flatnonzero(row))[:count])


def _passes(plan: Plan, name: str, net: MutableNetwork) -> Measurement:
    terms = Terms(penalty=1 / len(net.rows.target), longest=len(net.rows.words))
    polished = net.copy()
    _over_all_nodes(polished, terms)
    wall, used = [], []
    for _ in range(plan.repeats):
        again, before = net.copy(), process_time()
        wall.append(seconds(lambda again=again: _over_all_nodes(again, terms)))  # type: ignore[misc]
        used.append(process_time() - before)
    details = _details(net, polished)
    return Measurement(name, used, TARGET, at_least=False, unit="s", times={"wall": wall, "CPU": used}, details=details)


def _over_all_nodes(net: MutableNetwork, terms: Terms) -> None:
    score = objective(net, terms)
    for depth, layer in enumerate(net.layers):
        polish = improve_concept if depth % 2 else improve_rule
        for node in range(len(layer)):
            score = polish(net, depth, node, terms, score)


def _details(net: MutableNetwork, polished: MutableNetwork) -> dict[str, Any]:
    nodes = [(depth, node) for depth, layer in enumerate(net.layers) for node in range(len(layer))]
    flips = sum(len(net.below(depth)) * len(layer) for depth, layer in enumerate(net.layers))
    return {
        "data": f"{adult().source}, {len(net.rows.target)} rows, {len(net.rows.words)} literals",
        "network": [len(layer) for layer in net.layers],
        "flips": flips,
        "nodes that some row depends on": sum(bool(benefit(net, *node).any()) for node in nodes),
        "edges before and after": [net.edges, polished.edges],
        "score before and after": [round(one.score(), 4) for one in (net, polished)],
    }
