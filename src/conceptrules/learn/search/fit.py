"""From rows to the Pareto front: search, then make each network as short as it can be said."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace

from threadpoolctl import threadpool_limits

from conceptrules.kernels.compiling import announced
from conceptrules.learn.calibration import Comparison, compare
from conceptrules.learn.holdout import Holdout
from conceptrules.learn.search.problem import EFFORTS
from conceptrules.learn.search.regularization_path import (
    NetworkSnapshot,
    Trial,
    number_of_splits,
    regularization_path,
    search,
)
from conceptrules.learn.search.settings import SearchSettings
from conceptrules.learn.training_data import TrainingData
from conceptrules.logic.minimisation import minimise
from conceptrules.logic.simplification import simplify
from conceptrules.model.canonical import in_order
from conceptrules.model.evaluation import PackedBits
from conceptrules.model.network import RuleNetwork
from conceptrules.model.pareto import pareto_front


@dataclass(frozen=True, slots=True, eq=False)
class FoundNetwork:
    """A network of the regularization path."""

    trial: Trial
    """The penalty that led to it, and the scores."""
    extracted: RuleNetwork
    """The network as the search found it."""
    network: RuleNetwork
    """The same, perhaps simplified."""
    comparisons: tuple[Comparison, ...]
    """For each split, the network that was learned at the same penalty without the held-out rows."""

    @property
    def edges(self) -> int:
        return self.network.edges

    @property
    def score(self) -> float:
        return self.trial.score


@dataclass(frozen=True, slots=True, eq=False)
class SearchResult:
    """The networks that the search found, and which of them was chosen."""

    networks: tuple[FoundNetwork, ...]
    chosen: int
    history: tuple[Trial, ...]
    interrupted: bool
    """Whether Ctrl-C ended the search."""


def splits_wanted(data: TrainingData, settings: SearchSettings) -> int:
    """Return how often the rows should be split to choose a network by."""
    return number_of_splits(data.rows, EFFORTS[settings.effort].most_splits)


def penalties_to_try(data: TrainingData, settings: SearchSettings) -> Sequence[float]:
    """Return the penalties of an edge that a fit tries, the highest first; it may end before the last."""
    return regularization_path(len(data.rows), EFFORTS[settings.effort].lowest)


def fit(
    data: TrainingData,
    holdout: Holdout,
    settings: SearchSettings,
    seed: int,
    threads: int,
    watch: Callable[[Trial], None],
) -> SearchResult:
    """Search for networks. What comes out does not depend on the number of threads."""
    # One thread too is one of its own: Ctrl-C inside of compiled code is a SystemError, where it should end the search.
    with ThreadPoolExecutor(threads) as pool, announced(), threadpool_limits(threads, "openmp"):
        found = search(settings.problem(data, seed), holdout.pairs, pool, watch)
    blank = data.blank()
    networks = []
    for (trial, net), others in zip(found.nets, found.held, strict=True):
        network = _network(blank, NetworkSnapshot.of(net))
        pairs = zip(others, holdout.pairs, strict=True)
        comparisons = tuple(compare(_network(blank, other), training, held) for other, (training, held) in pairs)
        networks.append(FoundNetwork(trial, network, network, comparisons))
    return SearchResult(tuple(networks), found.chosen, tuple(found.history), found.interrupted)


def simplified(found: SearchResult, holdout: Holdout, settings: SearchSettings) -> SearchResult:
    """Return the Pareto front of the networks, each made as short as it can be said."""
    seen = holdout.seen.to_packed_bits()
    front = pareto_front(
        replace(one, network=in_order(_shortest(one.extracted, seen, settings))) for one in found.networks
    )
    wanted = found.networks[found.chosen].score
    chosen = next(number for number, one in enumerate(front) if one.score >= wanted)
    return replace(found, networks=front, chosen=chosen)


def _shortest(network: RuleNetwork, seen: PackedBits, settings: SearchSettings) -> RuleNetwork:
    """Fewer edges can be more rules or longer ones: what is not within the limits is not taken."""
    simple = simplify(network, seen)
    if not settings.ablation.minimise:
        return simple
    smaller = minimise(simple)
    return smaller if settings.kept_by(smaller) else simple


def _network(blank: RuleNetwork, snapshot: NetworkSnapshot) -> RuleNetwork:
    names = blank.classes
    return replace(
        blank,
        levels=snapshot.levels,
        priority=tuple(names[c] for c in snapshot.order),
        default=names[snapshot.default],
    )
