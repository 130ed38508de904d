"""Networks from the highest penalty of an edge to the lowest, each of them improved from the one before."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from conceptrules.kernels.search.coverage import count_rules
from conceptrules.kernels.search.local_search import search
from conceptrules.kernels.search.values import CODES, LONGEST, Columns, Rows, Rules, empty_rules
from conceptrules.learn.checkpoint import Arrays, Checkpoint
from conceptrules.learn.search.policy_masks import Constraints
from conceptrules.learn.search.settings import SearchSettings
from conceptrules.learn.search.tree_start import can_grow_tree, grow_tree_rules
from conceptrules.model.evaluation import Bits

# In rows: an edge costs as much as this many rows are worth that are right instead of wrong. The first ones are shares
# of all rows, for networks of a few edges.
SHARES = (1.0, 0.5, 0.2, 0.1, 0.05, 0.02, 0.01, 0.005)
PENALTIES = (20.0, 10.0, 5.0, 2.5, 1.2, 0.6, 0.3, 0.15, 0.07, 0.03)
_FRESH = 200
"""Edges of a network up to which one that is grown from nothing is tried as well: both take little time. Beyond that,
one that begins as a tree is."""
_LEAVES = 2
"""Leaves of that tree for each rule of the network: some of them do not pay, and those of the default are no rules."""
_LOSSES = 3
"""No more trees are tried after this many in a row that led to nothing better."""
_ROOM = 256
"""Rules that there is room for at first."""


@dataclass(frozen=True, slots=True, eq=False)
class Snapshot:
    """A network with one level, as the kernels have it."""

    rules: Rules
    order: NDArray[np.int64]
    default: int
    score: float
    """On the rows that it was learned from."""
    edges: int

    def find_fired(self, codes: NDArray[np.uint8]) -> Bits:
        """Return (rows, classes): which classes fire."""
        counts = np.zeros((len(self.order), len(codes)), np.int16)
        count_rules(codes, self.rules, len(self.rules.owner), counts)
        return counts.T > 0


def list_penalties(rows: float, lowest: float) -> tuple[float, ...]:
    """Return the penalties to try, in rows, from the highest to the lowest."""
    coarse = tuple(share * rows for share in SHARES if share >= 0.5 or share * rows > PENALTIES[0])
    return coarse + tuple(penalty for penalty in PENALTIES if lowest <= penalty < coarse[-1])


class Path:
    """A network on its way from one penalty to the next: the first has no rules, the second at most one literal."""

    def __init__(
        self,
        rows: Rows,
        columns: Columns,
        settings: SearchSettings,
        constraints: Constraints,
        unit: float,
        seed: int,
    ) -> None:
        """`unit` is what a row is worth, in units of the score."""
        self._rows, self._columns, self._settings, self._unit = rows, columns, settings, unit
        priority, default = constraints.start.priority, constraints.start.default
        self._state = np.array([(seed + 1) * 0x9E3779B97F4A7C15 % 2**64], np.uint64)
        # The rarest class comes first, the commonest is the default.
        rarest_first = np.argsort(rows.mass.sum(axis=0), kind="stable").astype(np.int64)
        self._order = rarest_first if priority is None else np.array(priority, np.int64)
        # Of two classes either may be the simpler one to describe. Log loss does not ask which class is answered.
        both = len(rarest_first) == 2 and settings.scoring != "neg_log_loss"
        defaults = rarest_first[::-1][: 2 if both else 1].tolist() if default is None else [default]
        self._locked = empty_rules(0) if constraints.locked is None else constraints.locked.rules
        self._bans = empty_rules(0) if constraints.banned is None else constraints.banned
        self._empty = [Snapshot(self._locked, self._order, label, 0.0, 0) for label in defaults]
        self._last: Snapshot | None = None
        self._step, self._lost = 0, 0
        bounded = settings.least_rows or settings.least_precision or len(self._locked.owner) or len(self._bans.owner)
        self._asks_tree = not bounded and can_grow_tree(rows, columns)

    def learn_at(self, penalty: float) -> Snapshot:
        """Return the network of a penalty, in rows: the better of one from before and one that is grown afresh."""
        self._step += 1
        if self._step == 1:
            return self._search(self._empty[0], 1.0, max_edges=0)
        if self._step == 2:
            grown = [self._search(start, 0.0, max_edges=2) for start in self._empty]
            self._last = max(grown, key=lambda network: network.score)
            return self._last
        networks = [self._search(start, penalty) for start in (self._last,) if start is not None]
        if not networks or networks[0].edges <= _FRESH:
            networks += [self._search(start, penalty) for start in self._empty]
        elif self._asks_tree and self._lost < _LOSSES:
            networks.append(self._search(self._grow_tree(networks[0], penalty), penalty))
            better = self._objective(networks[1], penalty) > self._objective(networks[0], penalty)
            self._lost = 0 if better else self._lost + 1
        # Groups may be treated too differently for a while, so that a search can end below where it began.
        networks += [start for start in (self._last,) if start is not None and len(self._rows.groups.total)]
        self._last = max(networks, key=lambda network: self._objective(network, penalty))
        return self._last

    def improve(self, start: Snapshot, penalty: float) -> Snapshot:
        """Return a network that begins as one that other rows have led to."""
        return self._search(start, penalty)

    def save_state(self) -> dict[str, int]:
        """Return what the next network depends on besides the last one."""
        return {"chance": int(self._state[0]), "lost": self._lost}

    def resume(self, last: Snapshot, state: dict[str, int]) -> None:
        """Go on as if this network had just been learned; compiled kernels take its numbers as indices."""
        _check_snapshot(last, self._rows.mass.shape[1], len(self._columns.bins))
        self._step += 1
        self._state[0], self._lost = state["chance"], state["lost"]
        self._last = last if self._step > 1 else None

    def _objective(self, network: Snapshot, penalty: float) -> float:
        """Return what the search maximises."""
        return network.score - penalty * self._unit * network.edges

    def _grow_tree(self, network: Snapshot, penalty: float) -> Snapshot:
        """Return a tree about as large as a network, with its priority and default."""
        limits, leaves = self._settings.make_limits(penalty * self._unit), _LEAVES * len(network.rules.owner)
        rules = grow_tree_rules(self._rows, self._columns, limits, leaves, network.default, self._step)
        return Snapshot(rules, network.order, network.default, 0.0, 0)

    def _search(self, start: Snapshot, penalty: float, max_edges: float = np.inf) -> Snapshot:
        limits, room = self._settings.make_limits(penalty * self._unit), 2 * len(start.rules.owner) + _ROOM
        edges = float(min(limits.edges, max_edges))  # one type, one kernel
        limits = limits._replace(
            locked=len(self._locked.owner),
            edges=edges,
            conditions=int(min(limits.conditions, max(edges - 1, 1))),
            bans=self._bans,
        )
        while True:  # until there is room for all rules
            room = min(2 * room, limits.rules)
            rules, order = _resize(start.rules, room), start.order.copy()
            used, default, score, cost = search(
                self._rows, self._columns, limits._replace(rules=room), rules, len(start.rules.owner), order,
                start.default, self._state,
            )  # fmt: skip
            if used < room or room == limits.rules:
                return Snapshot(_resize(rules, used), order, int(default), float(score), round(cost))


def _resize(rules: Rules, room: int) -> Rules:
    """Return a copy with room for that many rules."""
    copy, kept = empty_rules(room), min(room, len(rules.owner))
    arrays: list[tuple[NDArray[Any], NDArray[Any]]] = list(zip(rules, copy, strict=True))
    for values, resized in arrays:
        resized[:kept] = values[:kept]
    return copy


class LearnedPath(Protocol):
    """A path of networks, from the highest penalty to the lowest."""

    def learn_at(self, penalty: float) -> Snapshot:
        """Return the network of a penalty, in rows."""


class CheckpointedPath:
    """A path whose networks are kept in a checkpoint, and taken from there if an earlier start got that far.

    Each network depends on the one before and on the state of the random numbers, so both are kept.
    """

    def __init__(self, path: Path, checkpoint: Checkpoint, name: str) -> None:
        """`name` is that of the pieces of the path in the checkpoint."""
        self._path, self._checkpoint, self._name = path, checkpoint, name

    def learn_at(self, penalty: float) -> Snapshot:
        """Return the network of a penalty, as the path itself does."""
        piece = f"{self._name} {penalty!r}"
        if (kept := self._checkpoint.get(piece)) is not None:
            try:
                snapshot = _read_snapshot(*kept)
                self._path.resume(snapshot, kept[0])
            except (KeyError, TypeError, ValueError, OverflowError) as error:
                raise self._checkpoint.damaged(error) from None
            return snapshot
        snapshot = self._path.learn_at(penalty)
        about = {
            "order": snapshot.order.tolist(),
            "default": snapshot.default,
            "score": snapshot.score,
            "edges": snapshot.edges,
            **self._path.save_state(),
        }
        rules = snapshot.rules._asdict() | {"allowed": np.packbits(snapshot.rules.allowed, axis=2)}
        self._checkpoint.put(piece, about, rules)
        return snapshot


def _check_snapshot(snapshot: Snapshot, classes: int, columns: int) -> None:
    """Raise a `ValueError` for numbers that no network of so many classes and columns has."""
    rules, score = snapshot.rules, snapshot.score
    pairs: list[tuple[NDArray[Any], NDArray[Any]]] = list(zip(rules, empty_rules(len(rules.owner)), strict=True))
    bounds = ((rules.owner, classes), (rules.length, LONGEST + 1), (rules.column, columns), (rules.size, CODES + 1))
    if (
        any(values.shape != room.shape or values.dtype != room.dtype for values, room in pairs)
        or any(((values < 0) | (values >= end)).any() for values, end in bounds)
        or sorted(snapshot.order.tolist()) != list(range(classes))
        or snapshot.default not in range(classes)
        or not (isinstance(score, float | int) and np.isfinite(score) and snapshot.edges >= 0)
    ):
        raise ValueError("a network in it has numbers that no network of this table has")


def _read_snapshot(about: dict[str, Any], arrays: Arrays) -> Snapshot:
    allowed = np.unpackbits(arrays["allowed"], axis=2, count=CODES)
    order = np.array(about["order"], np.int64)
    rules = Rules(**{**arrays, "allowed": allowed})
    return Snapshot(rules, order, about["default"], about["score"], about["edges"])
