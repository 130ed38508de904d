"""The parameters of the classifier: what is out of range, and what binarizer and recipe they describe."""

from __future__ import annotations

from collections.abc import Mapping
from inspect import Signature
from numbers import Integral, Real
from typing import Any

from sklearn.utils import check_random_state

from conceptrules.binarize import Binarizer
from conceptrules.learn.mllp.device import check_device
from conceptrules.learn.mllp.hyperparameters import Recipe, auto_layers
from conceptrules.learn.search.fit import settings_of
from conceptrules.model.errors import InputError

RECIPES = ("polished", "paper")
# Parameters that one recipe has no use for: to take them and do nothing would be worse than to object.
ONLY_PAPER = (
    "layers", "binarization_rate", "max_epochs", "patience", "batch_size", "learning_rate", "l2", "priority", "refit",
)  # fmt: skip
ONLY_POLISHED = ("effort", "scoring", "max_edges", "max_rules", "max_rule_length")

Parameters = Mapping[str, Any]


def check(given: Parameters, known: Signature) -> None:
    """Objects to what is out of range."""
    _check_recipe(given, known)
    check_device(given["device"])
    n_jobs, fraction = given["n_jobs"], given["validation_fraction"]
    if n_jobs is not None and (not isinstance(n_jobs, Integral) or n_jobs == 0):
        raise InputError(f"n_jobs is {n_jobs!r}; give a number of cores, -1 for all, or None")
    if not isinstance(fraction, Real) or not 0 < float(fraction) < 1:
        raise InputError(f"validation_fraction is {fraction!r}; it needs a number between 0 and 1, such as 0.2")
    _check_seed(given["random_state"])
    binarizer_of(given)
    if given["recipe"] == "paper":
        recipe_of(given, inputs=1)
    else:
        settings_of(given)


def _check_seed(seed: Any) -> None:
    try:
        check_random_state(seed)
    except ValueError:
        raise InputError(
            f"random_state is {seed!r}; give a whole number from 0 to 2**32 - 1, a numpy.random.RandomState, or None"
        ) from None


def used(given: Parameters) -> dict[str, Any]:
    """Without those that the recipe has no use for."""
    idle = ONLY_POLISHED if given["recipe"] == "paper" else (*ONLY_PAPER, "device")
    return {name: value for name, value in given.items() if name not in idle}


def binarizer_of(given: Parameters) -> Binarizer:
    literals, choices = given["literals"], ("auto", "thresholds", "intervals")
    if not isinstance(literals, str) or literals not in choices:
        raise InputError(f"literals is {literals!r}; use one of {', '.join(map(repr, choices))}")
    if literals == "auto":
        literals = {"polished": "thresholds", "paper": "intervals"}[given["recipe"]]
    binarizer = Binarizer(given["kinds"], given["max_categories"], literals, given["quantiles"])
    binarizer.check()
    return binarizer


def recipe_of(given: Parameters, inputs: int) -> Recipe:
    """The settings of a training run by the paper's recipe."""
    rate = {} if _is_auto(given["binarization_rate"]) else {"binarization_rate": given["binarization_rate"]}
    names = ("max_epochs", "patience", "batch_size", "learning_rate", "l2", "priority", "refit")
    layers = auto_layers(inputs) if _is_auto(given["layers"]) else given["layers"]
    negation: Any = False if _is_auto(given["negation"]) else given["negation"]
    return Recipe(layers, negation, **rate, **{name: given[name] for name in names})


def _check_recipe(given: Parameters, known: Signature) -> None:
    """Objects to parameters that the recipe has no use for."""
    recipe, device = given["recipe"], given["device"]
    if not isinstance(recipe, str) or recipe not in RECIPES:
        raise InputError(f"recipe is {recipe!r}; use one of {', '.join(map(repr, RECIPES))}")
    polished = recipe == "polished"
    other = RECIPES[polished]
    for name in ONLY_PAPER if polished else ONLY_POLISHED:
        if not _same(given[name], known.parameters[name].default):
            raise InputError(
                f"{name} is {given[name]!r}, but recipe={recipe!r} has no use for it; "
                f"add recipe={other!r}, or leave {name} out"
            )
    if polished and isinstance(device, str) and device.startswith("cuda"):
        raise InputError(
            f"device is {device!r}, but recipe='polished' runs on the CPU; add recipe='paper', or leave device out"
        )


def _is_auto(value: Any) -> bool:
    return isinstance(value, str) and value == "auto"


def _same(value: Any, default: Any) -> bool:
    return value is None if default is None else isinstance(value, str | Real) and bool(value == default)
