"""What settings can be, and what is said where they are not."""

from __future__ import annotations

import pytest

from conceptrules.learn.mllp.hyperparameters import Hyperparameters, auto_layers
from conceptrules.model.errors import InputError


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"layers": (4, 4)}, "odd number"),
        ({"layers": ()}, "layers is empty"),
        ({"layers": (4, -1, 4)}, "layers needs whole numbers of at least 1, got -1"),
        ({"layers": "big"}, "layers needs whole numbers of at least 1, got 'big'"),
        ({"binarization_rate": 1.0}, "binarization_rate is 1.0"),
        ({"binarization_rate": (0.5, -0.1)}, "binarization_rate is -0.1"),
        ({"max_epochs": 0}, "max_epochs"),
        ({"batch_size": 2.5}, "batch_size"),
        ({"learning_rate": 0}, "learning_rate needs a number above 0, got 0"),
        ({"l2": float("nan")}, "l2 needs a number of at least 0, got nan"),
        ({"l2": -1e-6}, "l2 needs a number of at least 0, got -1e-06"),
        ({"patience": 0}, "patience"),
        ({"priority": "last"}, "priority is 'last'"),
    ],
)
def test_settings_out_of_range(settings: dict[str, object], message: str) -> None:
    with pytest.raises(InputError, match=message):
        Hyperparameters(**{"layers": (4,), **settings})  # type: ignore[arg-type]


def test_a_single_size_and_a_single_rate_will_do() -> None:
    settings = Hyperparameters(8, binarization_rate=0.9)  # type: ignore[arg-type]
    assert (settings.layers, settings.binarization_rate) == ((8,), (0.9,))


def test_auto_layers_grow_with_the_inputs() -> None:
    assert [auto_layers(inputs)[0] for inputs in (1, 27, 155, 10_000)] == [32, 64, 128, 256]


@pytest.mark.parametrize("name", ["learning_rate", "l2"])
def test_settings_that_would_overflow_are_refused(name: str) -> None:
    with pytest.raises(InputError, match=rf"{name} needs a number .* at most 1e\+06, got 1e\+30"):
        Hyperparameters((2,), **{name: 1e30})
