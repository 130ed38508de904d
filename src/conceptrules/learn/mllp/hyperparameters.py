"""The settings of a training run, checked on creation, with the paper's values where it gives them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any

from conceptrules.learn.mllp.extraction import PRIORITIES
from conceptrules.model.errors import InputError

# Weights are between 0 and 1, so a step of 1 reaches all of them; far larger numbers would overflow in float32.
_LARGEST = 1e6


@dataclass(frozen=True, slots=True)
class Hyperparameters:
    """The settings of a cohort: one network for each binarization rate."""

    layers: tuple[int, ...]
    """Sizes of the middle layers: rules, concepts, ..., rules."""
    negation: bool = False
    """Whether rules may say `not`: the inputs are then the predicates and their negations."""
    binarization_rate: tuple[float, ...] = (0.5, 0.7, 0.8, 0.9)
    max_epochs: int = 400
    batch_size: int = 128
    learning_rate: float = 5e-3
    decay: float = 0.75
    decay_every: int = 100
    l2: float = 1e-8
    patience: int | None = 100
    """Epochs without a better network on the validation rows after which training ends; None: never."""
    min_steps: int = 50
    """The fewest steps of an epoch: a small table is passed several times. With the single step that 80 rows give, 400
    epochs end before any weight has reached 0.5 (blogger: macro-F1 0.40; with 20 steps 0.84). On 27 other tables, 50
    steps are 1.3 points better than 20."""
    priority: str = "learned"
    """Who wins when several classes fire: a key of PRIORITIES."""
    refit: bool = False
    """Whether to train once more, on the validation rows too, with the rate that was best."""
    snapshot_every: int = 5
    """Epochs between two evaluations on the validation rows."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "layers", _as_tuple("layers", self.layers))
        object.__setattr__(self, "binarization_rate", _as_tuple("binarization_rate", self.binarization_rate))
        for size in self.layers:
            _check_whole("layers", size)
        if len(self.layers) % 2 == 0:
            raise InputError(
                f"layers={list(self.layers)} has {len(self.layers)} sizes; give an odd number of middle layers "
                "(rules, concepts, ..., rules), such as (64,) or (64, 64, 64)"
            )
        for rate in self.binarization_rate:
            if not isinstance(rate, Real) or not 0 <= float(rate) < 1:
                raise InputError(f"binarization_rate is {rate!r}; it needs 0 <= rate < 1, such as 0.8")
        for name in ("max_epochs", "batch_size", "decay_every", "min_steps", "snapshot_every"):
            _check_whole(name, getattr(self, name))
        if self.patience is not None:
            _check_whole("patience", self.patience)
        for name in ("learning_rate", "decay", "l2"):
            _check_real(name, getattr(self, name), zero=name == "l2")
        for name in ("negation", "refit"):
            if not isinstance(getattr(self, name), bool):
                raise InputError(f"{name} is {getattr(self, name)!r}; use True or False")
        if self.priority not in PRIORITIES:
            raise InputError(f"priority is {self.priority!r}; use one of {', '.join(map(repr, PRIORITIES))}")


def auto_layers(inputs: int) -> tuple[int, ...]:
    """Return three layers of 32 to 256 nodes; the width doubles when the inputs grow fourfold.

    Measured: 27 inputs (tic-tac-toe) need 64 nodes (macro-F1 1.00; 0.992 with 32).
    """
    width = next((size for size, limit in ((32, 20), (64, 80), (128, 320)) if inputs <= limit), 256)
    return (width,) * 3


def _as_tuple(name: str, value: Any) -> tuple[Any, ...]:
    if not isinstance(value, Iterable) or isinstance(value, str):
        value = (value,)
    if not (result := tuple(value)):
        raise InputError(f"{name} is empty; give at least one")
    return result


def _check_whole(name: str, value: Any) -> None:
    if not isinstance(value, Integral) or isinstance(value, bool) or value < 1:
        raise InputError(f"{name} needs whole numbers of at least 1, got {value!r}")


def _check_real(name: str, value: Any, zero: bool) -> None:
    """Check that a number is between 0 and the largest that is allowed; whether it may be 0 is `zero`."""
    if not isinstance(value, Real) or not 0 <= float(value) <= _LARGEST or (value == 0 and not zero):
        smallest = "of at least 0" if zero else "above 0"
        largest = f" and at most {_LARGEST:g}" if isinstance(value, Real) and float(value) > _LARGEST else ""
        raise InputError(f"{name} needs a number {smallest}{largest}, got {value!r}")
